// Owns what the supervisor does between pid 1 and the clients of sbx exec.
#include "process/exec_clients.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"

void exec_clients_init(struct exec_clients *clients)
{
	*clients = (struct exec_clients){ .events = -1 };
}

static void answer(int socket, enum exec_kind kind, int number, int fd)
{
	struct exec_answer answer = { .head = { CONTROL_NAME, CONTROL_VERSION },
				      .kind = kind,
				      .number = number };
	fd_send_now(socket, &answer, sizeof(answer), &fd, fd >= 0);
}

static int order(const struct run *run, struct exec_order order, const int fds[FD_PASSED])
{
	unsigned count = !fds ? 0 : order.terminal.wanted ? 1 : FD_PASSED;
	if (fd_send_now(run->from_box, &order, sizeof(order), fds, count) < 0)
		return -1;
	return sys_pidfd_send_signal(run->pidfd, SIGNAL_ORDER, NULL);
}

enum { SEALS = F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE };

static bool is_set(const char *texts, uint32_t count, const char *variable)
{
	size_t name = strcspn(variable, "=") + 1;
	for (; count > 0; count--, texts += strlen(texts) + 1)
		if (strncmp(texts, variable, name) == 0)
			return true;
	return false;
}

static bool stays(const char *texts, uint32_t count, const char *variable, bool below)
{
	return !is_set(texts, count, variable) && !(below && str_starts(variable, "PWD="));
}

// Writes the first command's variables, then the client's, which win.
static void put_words(const struct plan *plan, struct exec_text *text, size_t size, struct out *out)
{
	const char *variables = text->texts;
	for (uint32_t i = 0; i < text->arguments + 1; i++)
		variables += strlen(variables) + 1;
	uint32_t count = text->variables;
	bool below = text->texts[0] && text->texts[0] != '/' && !is_set(variables, count, "PWD=");
	text->variables += below;
	for (char *const *each = plan->environment; *each; each++)
		text->variables += stays(variables, count, *each, below);
	out_bytes(out, (const char *)text, (size_t)(variables - (const char *)text));
	for (char *const *each = plan->environment; *each; each++)
		if (stays(variables, count, *each, below))
			out_bytes(out, *each, strlen(*each) + 1);
	if (below)
		out_text(out, "PWD=%s/%s%c", plan->directory, text->texts, '\0');
	out_bytes(out, variables, (size_t)((const char *)text + size - variables));
}

static int compose(const struct plan *plan, int theirs)
{
	struct stat status;
	struct out out = { 0 };
	if ((fcntl(theirs, F_GET_SEALS) & SEALS) != SEALS || fstat(theirs, &status) < 0 ||
	    status.st_size <= 0 || status.st_size > EXEC_BYTES_MAX) {
		errno = EINVAL;
		return -1;
	}
	size_t size = (size_t)status.st_size;
	struct exec_text *text = malloc(size);
	autoclose int ours = fd_memory("sbx", MEMORY_PLAIN);
	int number = EINVAL;
	if (text && ours >= 0 && pread(theirs, text, size, 0) == (ssize_t)size &&
	    exec_text_is_good(text, size)) {
		put_words(plan, text, size, &out);
		number = out_write(&out, ours) < 0 || fcntl(ours, F_ADD_SEALS, SEALS) < 0 ? errno
											  : 0;
	}
	free(text);
	errno = number;
	return number ? -1 : take(&ours);
}

static struct exec_client *find(struct exec_clients *clients, int number)
{
	for (unsigned i = 0; i < EXEC_MAX; i++)
		if (clients->all[i].number == number)
			return &clients->all[i];
	return NULL;
}

static void drop(struct exec_client *client)
{
	close(client->socket);
	*client = (struct exec_client){ 0 };
}

static enum exec_kind give(const struct plan *plan, struct run *run,
			   const struct terminal_wish *terminal, int socket, int fds[FD_PASSED])
{
	struct exec_clients *clients = run->clients;
	struct exec_client *client = find(clients, 0);
	if (!client)
		return EXEC_FULL;
	errno = EOPNOTSUPP;
	int text = run->tier_landlock ? -1 : compose(plan, fds[0]);
	if (text < 0)
		return EXEC_REFUSED;
	close(fds[0]);
	fds[0] = text;
	if (clients->events < 0)
		clients->events = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN, .data.fd = clients->last + 1 };
	struct exec_order wish = { EXEC_EXECUTE, clients->last + 1, 0, *terminal };
	if (epoll_ctl(clients->events, EPOLL_CTL_ADD, socket, &event) < 0)
		return EXEC_REFUSED;
	if (order(run, wish, fds) < 0)
		return EXEC_SILENT;
	*client = (struct exec_client){ .socket = socket,
					.number = ++clients->last,
					.began = steady_now() };
	run->watched = true;
	return EXEC_STARTED;
}

void exec_clients_take(const struct plan *plan, struct run *run,
		       const struct terminal_wish *terminal, int socket, int fds[])
{
	enum exec_kind kind = give(plan, run, terminal, socket, fds);
	int number = kind == EXEC_REFUSED ? errno : 0;
	for (int i = 0; i < FD_PASSED; i++)
		fd_close(&fds[i]);
	if (kind != EXEC_STARTED) {
		answer(socket, kind, number, -1);
		close(socket);
	}
}

// Returns false, and keeps the order, if pid 1's socket is full.
static bool hand_on(struct run *run, const struct exec_order *signal)
{
	struct exec_clients *clients = run->clients;
	struct exec_client *client = find(clients, signal->number);
	clients->kept = *signal;
	clients->keeps = order(run, *signal, NULL) < 0 && errno == EAGAIN;
	if (!clients->keeps && client && signal->signal == SIGKILL)
		drop(client);
	return !clients->keeps;
}

int exec_clients_waiting(const struct run *run)
{
	return run->clients->keeps ? run->from_box : run->clients->events;
}

void exec_clients_handle(struct run *run)
{
	enum { EVENTS_A_TURN = 16 };
	struct epoll_event events[EVENTS_A_TURN];
	struct exec_order kept = run->clients->kept;
	if (run->clients->keeps && !hand_on(run, &kept))
		return;
	int count = epoll_wait(run->clients->events, events, EVENTS_A_TURN, 0);
	for (int i = 0; i < count; i++) {
		int number = events[i].data.fd, signal, fds[FD_PASSED];
		struct exec_client *client = find(run->clients, number);
		ssize_t got =
			client ? fd_receive_now(client->socket, &signal, sizeof(signal), fds) : -1;
		for (int j = 0; client && j < FD_PASSED; j++)
			fd_close(&fds[j]);
		if (!client || (got < 0 && errno == EAGAIN))
			continue;
		bool ended = got != (ssize_t)sizeof(signal) || signal <= 0 || signal >= NSIG;
		if (!hand_on(run, &(struct exec_order){ .kind = EXEC_SIGNAL,
							.number = number,
							.signal = ended ? SIGKILL : signal }))
			return;
	}
}

void exec_clients_tell(struct run *run, const struct message *message, int terminal)
{
	struct exec_client *client = find(run->clients, message->exec);
	enum exec_kind kind = (enum exec_kind)message->number;
	if (!client || message->exec == 0)
		return;
	if (kind == EXEC_STARTED)
		client->child = message->child;
	answer(client->socket, kind, message->status, terminal);
	if (kind != EXEC_STARTED && kind != EXEC_SIGNALLED)
		drop(client);
}

// Returns the last number of the line: the pid in the innermost namespace.
static pid_t number_of(const char *text, const char *line)
{
	const char *at = strstr(text, line), *end = at ? strchr(at + 1, '\n') : NULL;
	while (end && end > at && end[-1] >= '0' && end[-1] <= '9')
		end--;
	return end ? (pid_t)strtol(end, NULL, 10) : 0;
}

// Finds the command above its descendant `pid`: each command leads a session. *ret_all: unknown,
// pid 1 was not reached.
static const struct exec_client *client_of(const struct run *run, pid_t pid, bool *ret_all)
{
	enum { DEPTH_MAX = 64 };
	for (int i = 0; i < DEPTH_MAX && pid > 0; i++) {
		char path[32], text[4096];
		if (pid == run->init)
			return NULL;
		snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
		if (!file_kernel(AT_FDCWD, path, text, sizeof(text)))
			break;
		pid_t session = number_of(text, "\nNSsid:"), own = number_of(text, "\nNSpid:");
		for (unsigned j = 0; j < EXEC_MAX; j++) {
			const struct exec_client *client = &run->clients->all[j];
			if (client->child && (client->child == session || client->child == own))
				return client;
		}
		pid = number_of(text, "\nPPid:");
	}
	*ret_all = true;
	return NULL;
}

static void send_denied(struct exec_client *client, struct exec_denied *denied)
{
	enum { ROOM = 64 << 10 };
	int used = 0, later = denied->denial.on_failure;
	memcpy(denied->lost, client->lost, sizeof(denied->lost));
	bool room = ioctl(client->socket, TIOCOUTQ, &used) == 0 && used < ROOM >> later;
	if (room && fd_send_now(client->socket, denied, sizeof(*denied), NULL, 0) >= 0)
		memset(client->lost, 0, sizeof(client->lost));
	else
		client->lost[later]++;
}

void exec_clients_denied(const struct run *run, pid_t pid, int64_t time,
			 const struct denial *denial)
{
	struct exec_denied denied = { .head = { CONTROL_NAME, CONTROL_VERSION },
				      .denial = *denial };
	bool all = pid <= 0;
	const struct exec_client *owner = all ? NULL : client_of(run, pid, &all);
	for (unsigned i = 0; i < EXEC_MAX; i++) {
		struct exec_client *client = &run->clients->all[i];
		bool may_be = !owner && (all || !client->child) && time >= client->began;
		if (client->number && (client == owner || may_be))
			send_denied(client, &denied);
	}
}

void exec_clients_refused(struct run *run, const struct refused_table *table)
{
	struct denial denial;
	for (unsigned i = 0; table && i < REFUSED_MAX && i < table->count; i++) {
		struct refused refused = table->all[i];
		bool news = refused.count != run->clients->heard[i];
		run->clients->heard[i] = refused.count;
		refused.count = 1;
		if (news && refused_denial(refused, &denial))
			exec_clients_denied(run, 0, steady_now(), &denial);
	}
}

int exec_clients_wait(const struct run *run, int milliseconds)
{
	enum { TICK = 100 };
	bool any = false;
	for (unsigned i = 0; run->agent && i < EXEC_MAX; i++)
		any = any || run->clients->all[i].number;
	return any && (milliseconds < 0 || milliseconds > TICK) ? TICK : milliseconds;
}

void exec_clients_end(struct run *run)
{
	for (unsigned i = 0; i < EXEC_MAX; i++)
		if (run->clients->all[i].number)
			drop(&run->clients->all[i]);
	fd_close(&run->clients->events);
}
