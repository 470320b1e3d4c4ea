// Owns the calls that --explain and the report of refused writes see, and the denials made of them.
#include "notify/notify.h"

#include <fcntl.h>
#include <linux/ioctl.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"
#include "report/findings.h"
#include "run.h"
#include "seccomp/asking.h"
#include "view/paths/wishes.h"

enum { LANDLOCK_SIGNALS = 6 };
enum { WRITES = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC };
enum { EXPLAINS = 1, LEARNS = 2, SHARES = 4, SIGNALS = 8, READS = 16 };

// clang-format off
static const struct asking rows[] = {
	{ "open", 1, WRITES, 0, ASKING_IS_NOT, SECCOMP_RET_USER_NOTIF, EXPLAINS, 0 },
	{ "openat", 2, WRITES, 0, ASKING_IS_NOT, SECCOMP_RET_USER_NOTIF, EXPLAINS, 0 },
	{ "creat mkdir mkdirat mknod mknodat rename renameat renameat2 unlink unlinkat rmdir link linkat "
	  "symlink symlinkat truncate chmod fchmodat fchmodat2",
	  ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, EXPLAINS, 0 },
	{ "open openat chdir execve execveat connect",
	  ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, READS, 0 },
	// Only for sbx learn: these are five of six calls of a build with gcc.
	{ "stat lstat newfstatat statx access faccessat faccessat2 readlink readlinkat",
	  ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, LEARNS, 0 },
	// sbx answers: abstract names belong to the whole machine (unix(7)).
	{ "bind", ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, SHARES, 0 },
	// sbx answers kill(0): the process group may be that of sbx's caller.
	{ "kill", 0, ~0U, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, SIGNALS, 0 },
};

enum { NONE = 9 };

// Indices of the arguments directory and path. NONE: the current directory.
static const struct call {
	const char *name;
	enum look_wish wish;
	unsigned directory, path;
} calls[] = {
	{ "open", LOOK_OPEN, NONE, 0 },        { "openat", LOOK_OPEN, 0, 1 },
	{ "creat", LOOK_CREATE, NONE, 0 },     { "truncate", LOOK_CHANGE, NONE, 0 },
	{ "chmod", LOOK_CHANGE, NONE, 0 },     { "fchmodat", LOOK_CHANGE, 0, 1 },
	{ "fchmodat2", LOOK_CHANGE, 0, 1 },
	{ "mkdir", LOOK_MAKE, NONE, 0 },       { "mkdirat", LOOK_MAKE, 0, 1 },
	{ "mknod", LOOK_MAKE, NONE, 0 },       { "mknodat", LOOK_MAKE, 0, 1 },
	{ "unlink", LOOK_REMOVE, NONE, 0 },    { "unlinkat", LOOK_REMOVE, 0, 1 },
	{ "rmdir", LOOK_REMOVE, NONE, 0 },     { "rename", LOOK_REMOVE, NONE, 0 },
	{ "rename", LOOK_PUT, NONE, 1 },       { "renameat", LOOK_REMOVE, 0, 1 },
	{ "renameat", LOOK_PUT, 2, 3 },        { "renameat2", LOOK_REMOVE, 0, 1 },
	{ "renameat2", LOOK_PUT, 2, 3 },       { "link", LOOK_MAKE, NONE, 1 },
	{ "linkat", LOOK_MAKE, 2, 3 },         { "symlink", LOOK_MAKE, NONE, 1 },
	{ "symlinkat", LOOK_MAKE, 1, 2 },
	{ "stat", LOOK_READ, NONE, 0 },        { "lstat", LOOK_READ, NONE, 0 },
	{ "newfstatat", LOOK_READ, 0, 1 },     { "statx", LOOK_READ, 0, 1 },
	{ "access", LOOK_READ, NONE, 0 },      { "faccessat", LOOK_READ, 0, 1 },
	{ "faccessat2", LOOK_READ, 0, 1 },     { "chdir", LOOK_READ, NONE, 0 },
	{ "readlink", LOOK_READ, NONE, 0 },    { "readlinkat", LOOK_READ, 0, 1 },
	{ "execve", LOOK_EXECUTE, NONE, 0 },   { "execveat", LOOK_EXECUTE, 0, 1 },
	{ "connect", LOOK_CONNECT, NONE, 1 },
};
// clang-format on

static bool names_sbx(const char *text)
{
	for (const char *at = strstr(text, "sbx"); at; at = strstr(at + 1, "sbx"))
		if ((at == text || strchr("/ \t\n;&|(\"'`", at[-1])) && strchr(" \t\n;", at[3]))
			return true;
	return false;
}

// Returns why sbx does not look at refused writes, or NULL. The kernel allows one listener, which a
// nested box may need.
static const char *why_unasked(const struct plan *plan)
{
	if (plan->tier == TIER_LANDLOCK)
		return "tier landlock does not see them";
	if (plan->inside)
		return "the box around this one may be asked about its calls";
	for (char *const *word = plan->command; *word; word++)
		if (names_sbx(*word))
			return "the command names sbx, whose box may need the kernel's one "
			       "listener";
	return NULL;
}

int explain_plan(struct plan *plan)
{
	unsigned modes = plan->own_network ? 0 : SHARES;
	bool writes = plan->profile->refused_writes == TOGGLE_YES && !plan->explain;
	plan->unasked = writes ? why_unasked(plan) : NULL;
	if (plan->tier == TIER_LANDLOCK)
		return plan->explain ? fail(0, "--explain needs namespaces: it cannot be had in "
					       "tier landlock")
				     : 0;
	if (modes & SHARES)
		TRY(asking_refuse_rings(plan));
	if (plan->explain || (writes && !plan->unasked))
		modes |= EXPLAINS | (plan->explain ? READS : 0) | (plan->learn ? LEARNS : 0);
	plan->looks = modes & EXPLAINS;
	plan->asking_spare = modes == EXPLAINS && !plan->background;
	if (plan->landlock < LANDLOCK_SIGNALS || plan->nested) {
		plan->asking_group = modes == 0 && !plan->background;
		modes |= SIGNALS;
	}
	if (modes == 0 && !plan->background)
		return 0;
	return asking_compile(plan, rows, sizeof(rows) / sizeof(*rows), modes);
}

static void put_rule(const struct plan *plan, const char *path, struct denial *denial)
{
	struct judgement judgement = judge_path(plan, path);
	bool decides = judgement.verdict == PATH_READ || judgement.verdict == PATH_HIDDEN;
	const struct origin *from = decides && judgement.by ? &judgement.by->from : NULL;
	if (from && from->file && from->line)
		str_put(denial->rule, sizeof(denial->rule), "%s:%u", from->file, from->line);
	else if (from && from->file)
		str_put(denial->rule, sizeof(denial->rule), "%s", from->file);
}

static void take_note(const struct plan *plan, const struct run *run, struct arena *arena,
		      struct denials *denials, const struct explained *found)
{
	const char *tried = str_shown(path_clean(arena, found->paths));
	const char *allow = found->paths + strlen(found->paths) + 1;
	bool write = str_equal(found->kind, "write");
	struct denial denial = { .verb = "blocked",
				 .count = 1,
				 .on_failure = write && !plan->explain };
	str_put(denial.kind, sizeof(denial.kind), "%s", found->kind);
	snprintf(denial.what, sizeof(denial.what), "%s", tried);
	str_put(denial.program, sizeof(denial.program), "%s",
		str_visible(found->program) ? found->program : "?");
	str_put(denial.why, sizeof(denial.why), "%s%s", found->directory ? "the directory " : "",
		found->why);
	put_rule(plan, allow, &denial);
	bool offers = str_visible(allow) && !judge_final(plan, allow, write) &&
		      !(write && project_refusal(plan, allow));
	if (offers && str_put(denial.value, sizeof(denial.value), "%s", allow))
		str_put(denial.flag, sizeof(denial.flag), "%s", found->flag);
	denials_add_copy(denials, &denial);
	if (run->watched)
		run->denied(run, found->pid, steady_now(), &denial);
}

void explain_take(const struct plan *plan, const struct run *run, struct denials *denials,
		  int64_t until)
{
	enum { ONE_TURN = 256 };
	struct explained found;
	struct arena *arena = NULL;
	struct pollfd event = { .fd = run->explained, .events = POLLIN };
	for (int i = 0; i < ONE_TURN && run->explained >= 0;) {
		bool looking = *run->looking && steady_now() < until;
		bool taken = recv(run->explained, &found, sizeof(found), MSG_DONTWAIT) > 0;
		if (!taken && !looking)
			break;
		if (!taken) {
			poll(&event, 1, 1);
			continue;
		}
		arena = arena ? arena : arena_new_scratch();
		take_note(plan, run, arena, denials, &found);
		i++;
	}
	if (arena)
		arena_free(arena);
}

static void name_program(struct looker *look)
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%u/comm", look->pid);
	file_kernel(AT_FDCWD, path, look->program, sizeof(look->program));
	look->program[strcspn(look->program, "\n")] = '\0';
}

static bool take_socket(struct looker *look, const struct seccomp_data *data, char path[PATH_MAX])
{
	struct sockaddr_un address = { 0 };
	size_t most = sizeof(address) - 1,
	       length = data->args[2] > most ? most : (size_t)data->args[2];
	return length > sizeof(sa_family_t) &&
	       asking_memory(look->pid, data->args[1], &address, length) &&
	       address.sun_family == AF_UNIX && str_put(path, PATH_MAX, "%s", address.sun_path);
}

// Reads the arguments before the call continues: the process may end at once.
static void take_tried(struct looker *look, const struct seccomp_data *data,
		       const struct call *call)
{
	char path[PATH_MAX];
	struct tried *tried = &look->tried[look->count];
	int from = call->directory == NONE ? AT_FDCWD : (int)data->args[call->directory];
	tried->wish = call->wish;
	tried->flags = call->wish == LOOK_OPEN   ? (unsigned)data->args[call->path + 1]
		       : call->wish == LOOK_READ ? (unsigned)O_NOFOLLOW
						 : (unsigned)O_CREAT;
	if (call->wish == LOOK_OPEN && !(tried->flags & WRITES))
		tried->wish = LOOK_READ;
	bool taken = call->wish == LOOK_CONNECT
			     ? take_socket(look, data, path)
			     : asking_path(look->pid, data->args[call->path], path);
	// Ignores /proc: its "self" would be this process.
	if (taken && path[0] && asker_whole_path(look->pid, from, path, tried->path) &&
	    !path_within(tried->path, "/proc") && !look_is_plain(look, tried))
		look->count++;
}

// Whether the calling thread has another root, as in a nested mount namespace.
static bool is_elsewhere(const struct looker *look, const char *root)
{
	char link[64], name[2];
	struct stat own, of_box;
	snprintf(link, sizeof(link), "/proc/%u/ns/mnt", look->pid);
	return stat(link, &own) < 0 || fstat(look->run->view, &of_box) < 0 ||
	       own.st_ino != of_box.st_ino || readlink(root, name, sizeof(name)) != 1;
}

static bool has_root(struct looker *look)
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/%u/root", look->pid);
	if (look->plan->nested && is_elsewhere(look, link))
		return false;
	if (look->root < 0)
		look->root = open(link, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return look->root >= 0;
}

bool explain_answer(struct looker *look, const struct question *question)
{
	const struct seccomp_notif *asked = question->asked;
	struct seccomp_notif_resp response = { .id = asked->id,
					       .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	const char *name = asking_call(asked->data.nr);
	if (!look->plan->looks || str_equal(name, "bind"))
		return false;
	look->pid = asked->pid;
	look->count = 0;
	bool rooted = has_root(look);
	for (size_t i = 0; rooted && i < sizeof(calls) / sizeof(*calls); i++)
		if (str_equal(calls[i].name, name))
			take_tried(look, &asked->data, &calls[i]);
	if (look->count)
		name_program(look);
	if (look->count && !asker_waits(question))
		look->count = 0;
	look->busy = look->count > 0;
	sys_ioctl(look->run->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
	for (unsigned i = 0; i < look->count && look_at(look, &look->tried[i]); i++)
		;
	look->busy = false;
	return true;
}
