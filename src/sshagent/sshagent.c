// Owns the agent filter's part of a plan and of a run: its socket and processes.
#include "sshagent/sshagent.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "net/setup/netns.h"
#include "outside/outside.h"
#include "plan.h"
#include "run.h"
#include "view/paths/wishes.h"

enum { FILTER = 0, CONNECTOR = 1, WAITING_MAX = 16, HEAD = 64 };

// Refuses lines of a project's .sbx.ini, and ignores those of profiles that it extends, even if
// trusted.
static int take_own(struct plan *plan, const struct list *wanted, struct list *into)
{
	list_each (item, wanted) {
		bool project =
			item->from.order >= ORDER_UNTRUSTED && item->from.order < ORDER_FLAGS;
		if (project && str_ends(item->from.file, ".sbx.ini"))
			return fail(0,
				    "%sa project's file cannot open your ssh-agent; use a flag, or "
				    "a profile of yours: sbx run -p NAME",
				    origin_text(plan->arena, item->from));
		if (!str_printable(item->text) || !item->text[0])
			return fail(0, "%sa name without control bytes is expected",
				    origin_text(plan->arena, item->from));
		if (!project)
			list_add(into, plan->arena, item->text, item->from);
	}
	return 0;
}

// Adds keys, and shows the box their files in ~/.ssh: `ssh-keygen -Y sign` reads them.
static int take_keys(struct plan *plan, struct profile *profile, const struct list *wanted)
{
	list_each (item, wanted) {
		const char *text = item->text;
		if (!str_starts(text, "SHA256:") &&
		    (strchr(text, '/') || text[0] == '~' || str_ends(text, ".pub"))) {
			if (str_starts(text, "~/"))
				text = path_join(plan->arena, plan->home, text + 2);
			else if (text[0] != '/' && !plan->current)
				return fail(0, "--agent-key: '%s' needs a current directory", text);
			else if (text[0] != '/')
				text = path_join(plan->arena, plan->current, text);
			text = path_clean(plan->arena, text);
			if (str_ends(text, ".pub") &&
			    path_within(text, path_join(plan->arena, plan->home, ".ssh")))
				list_add(&profile->read, plan->arena,
					 arena_text(plan->arena, "?%s", text), item->from);
			text = resolve_real(plan->resolver, text);
		}
		list_add(&plan->agent.keys, plan->arena, text, item->from);
	}
	return 0;
}

static void take_known(struct plan *plan)
{
	static const char *const files[] = { "~/.ssh/known_hosts", "~/.ssh/known_hosts2",
					     "/etc/ssh/ssh_known_hosts",
					     "/etc/ssh/ssh_known_hosts2" };
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		const char *path = files[i][0] == '~'
					   ? path_join(plan->arena, plan->home, files[i] + 2)
					   : files[i];
		list_add(&plan->agent.known, plan->arena, resolve_real(plan->resolver, path),
			 (struct origin){ .file = "known_hosts" });
	}
}

static int check_asked(const struct plan *plan, const struct list *keys)
{
	const struct item *host = plan->agent.hosts.last;
	struct known_host known;
	if (!keys->first && plan->agent.namespaces.first)
		return fail(0, "--agent-sign needs a key: add --agent-key ~/.ssh/KEY.pub");
	if (!keys->first && host && host->from.order >= ORDER_FLAGS)
		return fail(0, "--agent-host needs a key: add --agent-key ~/.ssh/KEY.pub");
	if (!keys->first)
		return 0;
	if (!host && !plan->agent.namespaces.first)
		return fail(0, "--agent-key needs a use: add --agent-host HOST for logins, or "
			       "--agent-sign git for signatures");
	list_each (item, &plan->agent.hosts)
		if (!known_host_parse(item->text, &known))
			return fail(0,
				    "%s'%.80s' is not valid, expected a host that known_hosts "
				    "names: HOST, HOST:PORT or [ADDRESS]:PORT",
				    origin_text(plan->arena, item->from), item->text);
	list_each (item, &plan->profile->environment_pass)
		if (str_equal(item->text, "SSH_AUTH_SOCK"))
			return fail(0,
				    "%sSSH_AUTH_SOCK passes the whole agent, and --agent-key a "
				    "part of it; leave one out",
				    origin_text(plan->arena, item->from));
	return 1;
}

static const char *agent_of(char *const *environment)
{
	static const char name[] = "SSH_AUTH_SOCK=";
	for (char *const *entry = environment; *entry; entry++)
		if (str_starts(*entry, name) && (*entry)[strlen(name)] == '/')
			return *entry + strlen(name);
	return NULL;
}

int sshagent_plan(struct plan *plan, struct profile *profile, char *const *environment)
{
	struct list keys = { 0 };
	uint64_t random;
	TRY(take_own(plan, &profile->agent_key, &keys));
	TRY(take_own(plan, &profile->agent_host, &plan->agent.hosts));
	TRY(take_own(plan, &profile->agent_sign, &plan->agent.namespaces));
	int asked = check_asked(plan, &keys);
	if (asked <= 0)
		return asked;
	const char *agent = agent_of(environment);
	if (!agent)
		return fail(0, "--agent-key: SSH_AUTH_SOCK names no agent; start one: "
			       "eval $(ssh-agent); ssh-add");
	plan->agent.agent = arena_copy(plan->arena, agent, strlen(agent));
	TRY(take_keys(plan, profile, &keys));
	take_known(plan);
	if (getrandom(&random, sizeof(random), 0) != sizeof(random))
		return fail(errno, "getrandom");
	plan->agent.directory = arena_text(plan->arena, "/tmp/sbx-agent-%u-%016llx",
					   (unsigned)plan->uid, (unsigned long long)random);
	plan->agent.socket = arena_text(plan->arena, "%s/agent", plan->agent.directory);
	list_add(&plan->notes, plan->arena,
		 "the ssh-agent is filtered: see THE SSH AGENT in sbx(7)",
		 (struct origin){ .file = "--agent-key" });
	list_add(&profile->socket, plan->arena, arena_text(plan->arena, "?%s", plan->agent.socket),
		 (struct origin){ .file = "--agent-key", .order = ORDER_FLAGS });
	return 0;
}

int sshagent_files_host(const struct plan *plan, struct run *run)
{
	(void)run;
	const struct list *const lists[] = { &plan->agent.known, &plan->agent.keys };
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		list_each (item, lists[i])
			if (item->text[0] == '/' && outside_writes(plan, item->text))
				return fail(0,
					    "'%s' decides what your agent signs, and the box may "
					    "write it; name another file",
					    str_shown(item->text));
	return 0;
}

static int make_socket(const struct plan *plan, struct run *run)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	if (!str_put(address.sun_path, sizeof(address.sun_path), "%s", plan->agent.socket))
		return fail(0, "'%s' is too long", plan->agent.socket);
	TRY(run->agent_directory = owned_temporary(plan->agent.directory));
	run->agent_listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (run->agent_listener < 0 ||
	    bind(run->agent_listener, (const struct sockaddr *)&address, sizeof(address)) < 0 ||
	    listen(run->agent_listener, WAITING_MAX) < 0)
		return fail(errno, "'%s'", plan->agent.socket);
	return 0;
}

int sshagent_host(const struct plan *plan, struct run *run)
{
	struct stat status;
	if (!plan->agent.socket)
		return 0;
	run->agent_socket = open(plan->agent.agent, O_PATH | O_CLOEXEC);
	if (run->agent_socket < 0 || fstat(run->agent_socket, &status) < 0 ||
	    !S_ISSOCK(status.st_mode))
		return fail(
			0, "SSH_AUTH_SOCK: '%s' is not a socket; is your agent running? ssh-add -l",
			str_shown(plan->agent.agent));
	run->agent = arena_take(arena_new_shared(sizeof(*run->agent) + HEAD), sizeof(*run->agent));
	TRY(rules_read(plan, run->agent_socket, &run->agent->rules));
	return make_socket(plan, run);
}

static _Noreturn void become(const struct plan *plan, const struct run *run, int which, int way,
			     pid_t supervisor)
{
	struct agent_record *record = run->agent;
	unsigned locks = confine_locks();
	const int first[] = { which == FILTER ? run->agent_listener : run->agent_socket, way };
	if (apart_born(supervisor, first, 2, NULL, 0) < 0)
		_exit(1);
	if (which == FILTER && epoll_create1(EPOLL_CLOEXEC) < 0)
		_exit(1);
	void *memory = which == FILTER ? mmap(NULL, serve_bytes(), PROT_READ | PROT_WRITE,
					      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
				       : NULL;
	if (memory == MAP_FAILED)
		_exit(1);
	confine_forget(plan, run);
	if (confine(which == FILTER ? CONFINED_FILTER : CONFINED_CONNECTOR, locks) < 0)
		_exit(1);
	if (which == FILTER)
		serve_filter(record, memory);
	else
		serve_connector();
	_exit(0);
}

int sshagent_begin(const struct plan *plan, struct run *run)
{
	int ways[2];
	pid_t supervisor = getpid();
	if (!plan->agent.socket)
		return 0;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ways) < 0)
		return fail(errno, "socketpair");
	autoclose int filter = ways[FILTER], connector = ways[CONNECTOR];
	for (int which = FILTER; which <= CONNECTOR; which++) {
		pid_t child = fork();
		if (child == 0)
			become(plan, run, which, which == FILTER ? filter : connector, supervisor);
		if (child < 0)
			return fail(errno, "fork");
		run->agent_processes[which] = child;
	}
	fd_close(&run->agent_listener);
	fd_close(&run->agent_socket);
	return 0;
}

int sshagent_undo(const struct plan *plan, struct run *run)
{
	if (!plan->agent.socket)
		return 0;
	for (int which = FILTER; which <= CONNECTOR; which++) {
		pid_t child = run->agent_processes[which];
		if (child <= 0)
			continue;
		kill(child, SIGKILL);
		while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
			;
		run->agent_processes[which] = 0;
	}
	fd_close(&run->agent_listener);
	fd_close(&run->agent_socket);
	unlink(plan->agent.socket);
	rmdir(plan->agent.directory);
	return 0;
}

const struct refused_table *sshagent_refused(const struct run *run)
{
	return run->agent ? &run->agent->refused : NULL;
}
