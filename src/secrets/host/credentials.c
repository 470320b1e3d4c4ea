// Owns the start and end of the opener, the program that holds secrets.
#include "secrets/host/credentials.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "net/setup/netns.h"
#include "secrets/dialogue/dialogue.h"
#include "plan.h"
#include "report/findings.h"
#include "run.h"

// The opener's program, embedded in sbx. NULL in a build without it.
extern const char opener_program __attribute__((weak));
extern const char opener_program_end __attribute__((weak));

enum { PATIENCE_MILLISECONDS = 10000 };

static _Noreturn void become_opener(int program, int control, int channel, pid_t supervisor)
{
	static char name[] = "sbx-opener";
	char *words[] = { name, NULL }, *none[] = { NULL };
	// Copies the descriptors to numbers that dup3() does not overwrite.
	autoclose int from_control = fcntl(control, F_DUPFD_CLOEXEC, OPENER_CHANNEL + 1);
	autoclose int from_channel = fcntl(channel, F_DUPFD_CLOEXEC, OPENER_CHANNEL + 1);
	autoclose int text = fcntl(program, F_DUPFD_CLOEXEC, OPENER_CHANNEL + 1);
	const int first[] = { -1, -1, -1, from_control, from_channel };
	_Static_assert(OPENER_CONTROL == 3 && OPENER_CHANNEL == 4, "their places in it");
	const int kept[] = { OPENER_CONTROL, OPENER_CHANNEL, text };
	sigset_t all;
	sigemptyset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	if (apart_born(supervisor, first, 5, kept, 3) == 0)
		syscall(SYS_execveat, text, "", words, none, AT_EMPTY_PATH);
	_exit(errno == EACCES ? 126 : 127);
}

static const char refused[] = "secrets cannot be used: this kernel runs no program from memory "
			      "(sysctl vm.memfd_noexec=2)";

static int start(struct run *run)
{
	int control[2], channel[2];
	size_t length = (size_t)(&opener_program_end - &opener_program);
	autoclose int program = fd_memory("sbx-opener", MEMORY_PROGRAM);
	if (program < 0 && errno == EACCES)
		return fail(0, "%s", refused);
	if (program < 0 || fd_write_all(program, &opener_program, length) < 0)
		return fail(errno, "the opener: memory for its program");
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, control) < 0)
		return fail(errno, "the opener");
	run->opener_control = control[0];
	autoclose int theirs = control[1];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0)
		return fail(errno, "the opener");
	run->opener_channel = channel[0];
	autoclose int reads = channel[1];
	// A send must not block the worker.
	fcntl(run->opener_channel, F_SETFL, O_NONBLOCK);
	pid_t supervisor = getpid(), child = fork();
	if (child == 0)
		become_opener(program, theirs, reads, supervisor);
	if (child < 0)
		return fail(errno, "the opener");
	run->opener = child;
	return 0;
}

// Reports why the opener sent nothing.
static int ended(const struct run *run)
{
	int status = 0;
	bool over = waitpid(run->opener, &status, WNOHANG) == run->opener;
	if (over && WIFEXITED(status) && WEXITSTATUS(status) == 126)
		return fail(0, "%s", refused);
	return fail(0, "secrets cannot be used: the opener ended before it was ready");
}

static int hear(const struct run *run, struct opener_answer *answer)
{
	struct pollfd event = { .fd = run->opener_control, .events = POLLIN };
	if (poll(&event, 1, PATIENCE_MILLISECONDS) <= 0)
		return fail(0, "secrets cannot be used: the opener was not ready in 10 s");
	ssize_t got = fd_receive(run->opener_control, answer, sizeof(*answer), NULL);
	if (got != (ssize_t)sizeof(*answer)) {
		poll(NULL, 0, 20); // the opener is about to exit
		return ended(run);
	}
	answer->problem[sizeof(answer->problem) - 1] = '\0';
	answer->placeholder[sizeof(answer->placeholder) - 1] = '\0';
	return 0;
}

static int send_begin(const struct plan *plan, struct run *run)
{
	struct opener_begin begin = { .locks = confine_locks(),
				      .secrets = plan->credential_count,
				      .roots_length = (uint32_t)strlen(plan->roots) };
	autoclose int roots = fd_memory("sbx-roots", MEMORY_PLAIN);
	autoclose int record = fd_memory("sbx-record", MEMORY_PLAIN);
	if (roots < 0 || record < 0 || fd_write_all(roots, plan->roots, begin.roots_length) < 0 ||
	    ftruncate(record, sizeof(*run->opened)) < 0)
		return fail(errno, "memory for the opener");
	run->opened =
		mmap(NULL, sizeof(*run->opened), PROT_READ | PROT_WRITE, MAP_SHARED, record, 0);
	if (run->opened == MAP_FAILED) {
		run->opened = NULL;
		return fail(errno, "memory for the opener");
	}
	madvise(run->opened, sizeof(*run->opened), MADV_DONTFORK); // no child needs the pages
	const int fds[] = { roots, record };
	if (fd_send(run->opener_control, &begin, sizeof(begin), fds, 2) < 0)
		return ended(run);
	return 0;
}

// Copies the value from the caller's environment into a pipe. Wipes it in all variables: later
// processes do not have it.
static int open_variable(const struct credential *credential, char *const *environment, int *ret)
{
	size_t length = strlen(credential->source);
	char *value = NULL;
	int ends[2];
	for (char *const *entry = environment; *entry && !value; entry++)
		if (str_starts(*entry, credential->source) && (*entry)[length] == '=')
			value = *entry + length + 1;
	if (!value || !*value)
		return fail(
			0,
			"secret %s: the variable %s is not set; set it, or leave [secret %s] out",
			credential->name, credential->tried, credential->name);
	size_t size = strlen(value);
	if (size > SECRET_BYTES_MAX)
		return fail(0, "secret %s: it is longer than %d bytes", credential->name,
			    SECRET_BYTES_MAX);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return fail(errno, "pipe");
	*ret = ends[0];
	int result = fd_write_all(ends[1], value, size); // cannot block: a pipe holds more
	close(ends[1]);
	if (result < 0)
		return fail(errno, "secret %s", credential->name);
	for (char *const *entry = environment; *entry; entry++) {
		char *other = strchr(*entry, '=');
		if (other && other + 1 != value && str_equal(other + 1, value))
			explicit_bzero(other + 1, size);
	}
	explicit_bzero(value, size);
	return 0;
}

// Opens a file that must belong to the caller and be unreadable for others.
static int open_file(const struct credential *credential, int *ret)
{
	struct stat status;
	autoclose int fd =
		open(credential->source, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "secret %s: '%s'", credential->name, credential->source);
	if (!S_ISREG(status.st_mode))
		return fail(0, "secret %s: '%s' is not a regular file", credential->name,
			    credential->source);
	if (status.st_uid != geteuid() || (status.st_mode & 077))
		return fail(0, "secret %s: others may read or change '%s': chmod 600 it",
			    credential->name, credential->source);
	*ret = take(&fd);
	return 0;
}

static int give_secret(struct plan *plan, struct run *run, struct credential *credential)
{
	struct key_rule rule = { .only = !credential->others };
	struct opener_answer answer;
	autoclose int fd = -1;
	snprintf(rule.name, sizeof(rule.name), "%s", credential->name);
	list_each (item, &credential->hosts)
		if (!destination_parse(item->text, &rule.hosts[rule.host_count++]))
			return fail(0, "'%s' is not a destination", item->text);
	list_each (item, &credential->headers)
		snprintf(rule.headers[rule.header_count++], sizeof(rule.headers[0]), "%s",
			 item->text);
	if (credential->kind == SECRET_VARIABLE)
		TRY(open_variable(credential, run->environment, &fd));
	else
		TRY(open_file(credential, &fd));
	if (fd_send(run->opener_control, &rule, sizeof(rule), &fd, 1) < 0)
		return ended(run);
	TRY(hear(run, &answer));
	if (answer.problem[0])
		return fail(0, "secret %s: %s", credential->name, answer.problem);
	credential->placeholder =
		arena_copy(plan->arena, answer.placeholder, strlen(answer.placeholder));
	return 0;
}

int keys_host(struct plan *plan, struct run *run)
{
	struct opener_answer answer;
	if (plan->credential_count == 0)
		return 0;
	if (!&opener_program)
		return fail(0,
			    "secrets cannot be used: this sbx was built without TLS (-Dtls=none)");
	TRY(start(run));
	TRY(send_begin(plan, run));
	for (unsigned i = 0; i < plan->credential_count; i++)
		TRY(give_secret(plan, run, &plan->credentials[i]));
	TRY(hear(run, &answer));
	if (answer.problem[0])
		return fail(0, "secrets cannot be used: %s", answer.problem);
	size_t length = strnlen(run->opened->certificate, sizeof(run->opened->certificate));
	plan->trusted = arena_text(plan->arena, "%s%.*s", plan->roots, (int)length,
				   run->opened->certificate);
	return 0;
}

int keys_undo(const struct plan *plan, struct run *run)
{
	enum { LAST_WORDS_MILLISECONDS = 200 };
	struct pollfd end = { .fd = run->opener_control }; // POLLHUP: the opener has ended
	int status = 0;
	(void)plan;
	if (run->opener > 0 && waitpid(run->opener, &status, WNOHANG) > 0)
		run->opener_ended = true;
	else if (run->opener > 0) {
		fd_close(&run->opener_channel); // at EOF the opener exits
		poll(&end, 1, LAST_WORDS_MILLISECONDS);
		// The first deadly signal decides the wait status (complete_signal() of the
		// kernel). A signal other than SIGTERM came from another program.
		kill(run->opener, SIGTERM);
		kill(run->opener, SIGKILL);
		while (waitpid(run->opener, &status, 0) < 0 && errno == EINTR)
			;
		run->opener_ended = WIFSIGNALED(status) && WTERMSIG(status) != SIGTERM;
	}
	run->opener = 0;
	fd_close(&run->opener_control);
	fd_close(&run->opener_channel);
	return 0;
}

static void report_uses(const struct plan *plan, const struct opener_record *record,
			struct findings *found)
{
	bool used[SECRETS_MAX] = { false };
	unsigned i = 0;
	for (; i < OPENER_USES_MAX && record->uses[i].times; i++) {
		char host[HOST_NAME_BYTES_MAX + 1], detail[HOST_NAME_BYTES_MAX + 64];
		uint32_t times = record->uses[i].times, secret = record->uses[i].secret;
		memcpy(host, record->uses[i].host, sizeof(host));
		host[sizeof(host) - 1] = '\0';
		if (secret >= plan->credential_count)
			continue;
		used[secret] = true;
		snprintf(detail, sizeof(detail), "%u time%s for %s", times, times == 1 ? "" : "s",
			 host);
		findings_add(found, FINDING_SECRET_USED, plan->credentials[secret].name, detail,
			     "");
	}
	if (i == OPENER_USES_MAX) // the table is full: uses may be missing
		return;
	for (i = 0; i < plan->credential_count; i++)
		if (!used[i])
			findings_add(found, FINDING_SECRET_UNUSED, plan->credentials[i].name, "",
				     "");
}

void keys_report(const struct plan *plan, struct run *run, struct denials *denials,
		 struct findings *found)
{
	const struct opener_record *record = run->opened;
	if (!record)
		return;
	report_uses(plan, record, found);
	if (run->opener_ended)
		findings_add(found, FINDING_OPENER_ENDED, "", "", "");
	refused_collect(&record->refused, denials);
}
