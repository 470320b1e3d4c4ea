// Owns the opener, the program that holds secrets and can connect to nothing. It serves connections
// that a worker of the proxy has made.
#include <errno.h>
#include <openssl/rand.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "net/setup/netns.h"
#include "secrets/opener/bridge.h"

enum { ARENA_BYTES = SECRETS_MAX * (SECRET_BYTES_MAX + 16) + 4096 };

// All values of secrets, in memory that is neither swapped out nor dumped.
static char *values;
static size_t values_used;

static bool take_values_memory(void)
{
	values =
		mmap(NULL, ARENA_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return values != MAP_FAILED && madvise(values, ARENA_BYTES, MADV_DONTDUMP) == 0;
}

// Reads a value without its newline. Returns a problem, or NULL.
static const char *read_value(int fd, struct secret *secret)
{
	enum { LINE_END = 2 };
	char *at = values + values_used;
	ssize_t got = fd_read_all(fd, at, SECRET_BYTES_MAX + LINE_END);
	size_t length = got < 0 ? 0 : (size_t)got;
	if (got < 0)
		return "it could not be read";
	if (length > 0 && at[length - 1] == '\n')
		length--;
	if (length > 0 && at[length - 1] == '\r')
		length--;
	const char *problem = secret_problem(at, length);
	if (problem)
		return problem;
	at[length] = '\0';
	values_used += length + 1;
	// Locks only the used part: RLIMIT_MEMLOCK may be small.
	if (mlock(values, values_used) < 0)
		return "its memory cannot be locked: raise ulimit -l";
	secret->value = at;
	secret->length = length;
	return NULL;
}

static const char *make_placeholder(struct secret *secret, struct opener_answer *answer)
{
	uint16_t random[SECRET_BYTES_MAX];
	char *copy = malloc(secret->length + 1);
	if (!copy || RAND_bytes((unsigned char *)random, (int)(secret->length * 2)) != 1)
		return "the kernel gives no random numbers";
	placeholder_make(secret->value, secret->length, random, copy);
	memcpy(answer->placeholder, copy, secret->length + 1);
	secret->placeholder = copy;
	return NULL;
}

static int take_secrets(struct opener *opener, unsigned count)
{
	static struct opener_answer answer;
	for (unsigned i = 0; i < count && i < SECRETS_MAX; i++) {
		struct secret *secret = &opener->ring.secrets[i];
		int fds[FD_PASSED];
		if (fd_receive(OPENER_CONTROL, &secret->rule, sizeof(secret->rule), fds) !=
		    sizeof(secret->rule))
			return -1;
		memset(&answer, 0, sizeof(answer));
		const char *problem = read_value(fds[0], secret);
		fd_close(&fds[0]);
		problem = problem ? problem : make_placeholder(secret, &answer);
		snprintf(answer.problem, sizeof(answer.problem), "%s", problem ? problem : "");
		if (fd_send(OPENER_CONTROL, &answer, sizeof(answer), NULL, 0) < 0 || problem)
			return -1;
		opener->ring.count++;
	}
	return 0;
}

static int begin(struct opener *opener, unsigned *ret_locks)
{
	struct opener_begin begin;
	int fds[FD_PASSED];
	if (fd_receive(OPENER_CONTROL, &begin, sizeof(begin), fds) != sizeof(begin) || fds[1] < 0)
		return -1;
	*ret_locks = begin.locks;
	opener->roots_length = begin.roots_length;
	opener->roots = mmap(NULL, begin.roots_length, PROT_READ, MAP_PRIVATE, fds[0], 0);
	opener->record =
		mmap(NULL, sizeof(*opener->record), PROT_READ | PROT_WRITE, MAP_SHARED, fds[1], 0);
	fd_close(&fds[0]);
	fd_close(&fds[1]);
	opener->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (opener->roots == MAP_FAILED || opener->record == MAP_FAILED || opener->epoll < 0)
		return -1;
	return take_secrets(opener, begin.secrets);
}

static int tell_certificate(struct opener *opener, unsigned locks)
{
	static struct opener_answer answer;
	bool made = mint_begin(&opener->mint, &opener->ring) &&
		    mint_text(&opener->mint, opener->record->certificate,
			      sizeof(opener->record->certificate));
	if (!made)
		snprintf(answer.problem, sizeof(answer.problem), "%s",
			 "no certificate can be made");
	else if (confine(CONFINED_OPENER, locks) < 0)
		snprintf(answer.problem, sizeof(answer.problem), "the opener cannot be locked: %s",
			 strerror(errno));
	if (fd_write_all(OPENER_CONTROL, &answer, sizeof(answer)) < 0 || answer.problem[0])
		return -1;
	return 0;
}

// Returns false if the supervisor and the worker are gone.
static bool take_pair(struct opener *opener)
{
	struct opener_pair pair;
	int fds[FD_PASSED];
	ssize_t got = fd_receive(OPENER_CHANNEL, &pair, sizeof(pair), fds);
	if (got == (ssize_t)sizeof(pair))
		bridge_begin(opener, &pair, take(&fds[0]), take(&fds[1]));
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&fds[i]);
	return got > 0;
}

static _Noreturn void loop(struct opener *opener)
{
	enum { EVENTS_A_TURN = 64, LAST_TURNS = 64 };
	const uint64_t channel = UINT64_MAX;
	struct epoll_event events[EVENTS_A_TURN];
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = channel };
	if (epoll_ctl(opener->epoll, EPOLL_CTL_ADD, OPENER_CHANNEL, &event) < 0)
		_exit(1);
	// After the channel's EOF, LAST_TURNS turns read earlier bytes: a TLS alert says why a
	// client left.
	int turns = -1, count = 1;
	while (turns < 0 || (count > 0 && turns++ < LAST_TURNS)) {
		count = epoll_wait(opener->epoll, events, EVENTS_A_TURN,
				   turns < 0 ? bridge_wait(opener) : 0);
		opener->now = steady_now();
		for (int i = 0; i < count; i++) {
			if (events[i].data.u64 != channel)
				bridge_event(opener, events[i].data.u64);
			else if (!take_pair(opener)) {
				epoll_ctl(opener->epoll, EPOLL_CTL_DEL, OPENER_CHANNEL, NULL);
				turns = 0;
			}
		}
		bridge_expire(opener);
	}
	_exit(0);
}

int main(void)
{
	static struct opener opener;
	unsigned locks;
	// No other process may inspect this one, which is about to read secrets.
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0)
		return 1;
	prctl(PR_SET_NAME, "sbx-opener", 0, 0, 0); // the executed memfd has no name
	signal(SIGPIPE, SIG_IGN);
	opener.now = steady_now();
	if (!take_values_memory() ||
	    OPENSSL_init_ssl(OPENSSL_INIT_NO_LOAD_CONFIG | OPENSSL_INIT_LOAD_SSL_STRINGS |
				     OPENSSL_INIT_LOAD_CRYPTO_STRINGS,
			     NULL) != 1 ||
	    begin(&opener, &locks) < 0 || tell_certificate(&opener, locks) < 0)
		return 1;
	loop(&opener);
}
