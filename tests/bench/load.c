// Load for the bench of the way out: a server, and clients that measure. Prints one number.
//   load serve ADDRESS PORT
//   load stream|connect|keepalive|setup|hold HOST PORT PARALLEL AMOUNT [PROXY PROXYPORT]
// stream: MB/s of AMOUNT seconds over PARALLEL connections. connect: connections per second, each
// with one byte there and back. keepalive: requests per second. setup: microseconds until the first
// byte is back, median of AMOUNT. hold: PARALLEL tunnels are held, then the p99 in microseconds of
// AMOUNT fresh requests.
#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { CHUNK = 64 * 1024, EVENTS = 256 };
#define POURS (1ULL << 32)
static char chunk[CHUNK];
static const char request[] = "GET / HTTP/1.1\r\nHost: www.allowed.test\r\n\r\n";
static const char response[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

static double now(void)
{
	struct timespec time;
	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void stop(const char *what)
{
	perror(what);
	exit(1);
}

// --- server: 'e' is sent back, \0c too and then the server closes, 's' is answered by bytes
// without end, 'G' by a response

static void answer(int epoll, int fd)
{
	char text[65536];
	ssize_t got = recv(fd, text, sizeof(text), MSG_DONTWAIT);
	if (got < 0 && errno == EAGAIN)
		return;
	if (got <= 0) {
		close(fd);
	} else if (text[0] == 's') {
		struct epoll_event event = { .events = EPOLLOUT, .data.u64 = (uint64_t)fd | POURS };
		epoll_ctl(epoll, EPOLL_CTL_MOD, fd, &event);
	} else if (text[0] == 'G') {
		for (ssize_t at = 0; at + (ssize_t)sizeof(request) - 1 <= got;
		     at += (ssize_t)sizeof(request) - 1)
			send(fd, response, sizeof(response) - 1, MSG_NOSIGNAL);
	} else {
		send(fd, text, (size_t)got, MSG_NOSIGNAL);
		if (text[0] == 0 && text[got - 1] == 'c')
			close(fd);
	}
}

static void serve(const char *address, const char *port)
{
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_port = htons((uint16_t)atoi(port)) };
	int on = 1, epoll = epoll_create1(0), listener = socket(AF_INET, SOCK_STREAM, 0);
	struct epoll_event events[EVENTS],
		event = { .events = EPOLLIN, .data.u64 = (uint64_t)listener };
	inet_pton(AF_INET, address, &at.sin_addr);
	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(listener, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(listener, 4096) < 0)
		stop("listen");
	epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event);
	for (;;) {
		int count = epoll_wait(epoll, events, EVENTS, -1);
		for (int i = 0; i < count; i++) {
			if (events[i].data.u64 & POURS) {
				if (send(events[i].data.fd, chunk, CHUNK,
					 MSG_NOSIGNAL | MSG_DONTWAIT) < 0 &&
				    errno != EAGAIN)
					close(events[i].data.fd);
				continue;
			}
			if (events[i].data.fd != listener) {
				answer(epoll, events[i].data.fd);
				continue;
			}
			int fd = accept(listener, NULL, NULL);
			setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
			event = (struct epoll_event){ .events = EPOLLIN, .data.u64 = (uint64_t)fd };
			epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
		}
	}
}

// --- client

static struct sockaddr_storage target;
static socklen_t target_size;
static char ask[512];
static int ask_length, parallel, amount, streams;
static char sink[CHUNK];
static atomic_ulong total;
static atomic_int stopping;

static int open_one(void)
{
	char text[1024];
	int on = 1, fd = socket(target.ss_family, SOCK_STREAM, 0);
	if (fd < 0 || connect(fd, (struct sockaddr *)&target, target_size) < 0)
		return -1;
	setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on));
	if (ask_length == 0)
		return fd;
	if (send(fd, ask, (size_t)ask_length, MSG_NOSIGNAL) != ask_length)
		stop("ask");
	ssize_t got = recv(fd, text, sizeof(text), 0);
	if (got < 12 || memcmp(text + 9, "200", 3) != 0) {
		close(fd);
		return -1;
	}
	return fd;
}

// A NUL first: no protocol that anybody would wait for.
static int there_and_back(int fd, char last)
{
	char bytes[2] = { '\0', last };
	if (send(fd, bytes, 2, MSG_NOSIGNAL) != 2)
		return -1;
	return recv(fd, bytes, 2, MSG_WAITALL) == 2 ? 0 : -1;
}

// The server closes first: no port of ours, or of a relay's, stays busy.
static void close_after(int fd)
{
	char rest;
	if (recv(fd, &rest, 1, 0) != 0)
		stop("the end");
	close(fd);
}

// All streams in one thread, as the server sends them from one: what is compared is the way.
static void *stream(void *argument)
{
	int epoll = epoll_create1(0);
	struct epoll_event events[EVENTS];
	(void)argument;
	for (int i = 0; i < streams; i++) {
		int fd = open_one();
		struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
		if (fd < 0 || send(fd, "s\0", 2, MSG_NOSIGNAL) != 2)
			stop("stream");
		epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
	}
	while (!stopping) {
		int count = epoll_wait(epoll, events, EVENTS, -1);
		for (int i = 0; i < count; i++) {
			ssize_t got = recv(events[i].data.fd, sink, CHUNK, MSG_DONTWAIT);
			if (got > 0)
				total += (unsigned long)got;
		}
	}
	return NULL;
}

static void *connects(void *argument)
{
	(void)argument;
	while (!stopping) {
		int fd = open_one();
		if (fd < 0 || there_and_back(fd, 'c') < 0)
			stop("connect");
		close_after(fd);
		total++;
	}
	return NULL;
}

static void *keepalive(void *argument)
{
	char text[1024];
	int fd = open_one();
	(void)argument;
	while (!stopping) {
		if (fd < 0 || send(fd, request, sizeof(request) - 1, MSG_NOSIGNAL) < 0 ||
		    recv(fd, text, sizeof(text), 0) <= 0)
			stop("keepalive");
		total++;
	}
	return NULL;
}

static void measure(void *(*work)(void *), double unit)
{
	pthread_t threads[1024];
	for (int i = 0; i < parallel; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	usleep(300000);
	unsigned long before = total;
	double begin = now();
	usleep((useconds_t)amount * 1000000);
	printf("%.0f\n", (double)(total - before) / (now() - begin) / unit);
	stopping = 1;
	fflush(stdout);
	_exit(0);
}

static int compare(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;
	return a < b ? -1 : a > b;
}

static void one_by_one(double rank)
{
	double *times = calloc((size_t)amount, sizeof(*times));
	for (int i = 0; i < amount; i++) {
		double begin = now();
		int fd = open_one();
		if (fd < 0 || there_and_back(fd, 'c') < 0)
			stop("set up");
		times[i] = (now() - begin) * 1e6;
		close_after(fd);
	}
	qsort(times, (size_t)amount, sizeof(*times), compare);
	printf("%.0f\n", times[(int)(rank * (amount - 1))]);
}

static void hold(void)
{
	int held = 0;
	for (; held < parallel; held++) {
		int fd = open_one();
		if (fd < 0 || there_and_back(fd, 'e') < 0) {
			fprintf(stderr, "only %d tunnels\n", held);
			exit(1);
		}
	}
	FILE *gate = getenv("GATE") ? fopen(getenv("GATE"), "w") : NULL;
	if (gate)
		fclose(gate);
	one_by_one(0.99);
	if (getenv("GATE"))
		sleep(3); // while somebody looks at the memory
}

static void find(const char *host, const char *port)
{
	struct addrinfo *found, hints = { .ai_socktype = SOCK_STREAM };
	if (getaddrinfo(host, port, &hints, &found) != 0)
		stop(host);
	memcpy(&target, found->ai_addr, found->ai_addrlen);
	target_size = found->ai_addrlen;
}

int main(int count, char **words)
{
	struct rlimit files;
	getrlimit(RLIMIT_NOFILE, &files);
	files.rlim_cur = files.rlim_max;
	setrlimit(RLIMIT_NOFILE, &files);
	if (count == 4 && strcmp(words[1], "serve") == 0)
		serve(words[2], words[3]);
	if (count < 6)
		return 2;
	parallel = atoi(words[4]);
	amount = atoi(words[5]);
	if (count == 8) {
		ask_length =
			snprintf(ask, sizeof(ask), "CONNECT %s:%s HTTP/1.1\r\nHost: %s:%s\r\n\r\n",
				 words[2], words[3], words[2], words[3]);
		find(words[6], words[7]);
	} else {
		find(words[2], words[3]);
	}
	if (strcmp(words[1], "stream") == 0) {
		streams = parallel;
		parallel = 1;
		measure(stream, 1e6);
	} else if (strcmp(words[1], "connect") == 0)
		measure(connects, 1);
	else if (strcmp(words[1], "keepalive") == 0)
		measure(keepalive, 1);
	else if (strcmp(words[1], "setup") == 0)
		one_by_one(0.5);
	else if (strcmp(words[1], "hold") == 0)
		hold();
	return 0;
}
