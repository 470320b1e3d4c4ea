// Owns the questions of --explain. A path is looked up twice, in the box by its root and on the
// host by its name; only what the two disagree on is the box's doing.
#include "notify/notify.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/ioctl.h>
#include <linux/seccomp.h>
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
enum { EXPLAINS = 1, LEARNS = 2, SHARES = 4, SIGNALS = 8 };

// clang-format off
static const struct asking rows[] = {
	{ "open", 1, WRITES, 0, ASKING_IS_NOT, SECCOMP_RET_USER_NOTIF, EXPLAINS, 0 },
	{ "openat", 2, WRITES, 0, ASKING_IS_NOT, SECCOMP_RET_USER_NOTIF, EXPLAINS, 0 },
	{ "creat mkdir mkdirat mknod mknodat rename renameat renameat2 unlink unlinkat rmdir link linkat "
	  "symlink symlinkat truncate chmod fchmodat fchmodat2 execve execveat connect",
	  ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, EXPLAINS, 0 },
	{ "open openat stat lstat newfstatat statx access faccessat faccessat2 chdir readlink readlinkat",
	  ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, LEARNS, 0 },
	// This one is decided: abstract names are those of the whole machine.
	{ "bind", ASKING_ALWAYS, 0, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, SHARES, 0 },
	// So is this one: the group 0 may be the caller's.
	{ "kill", 0, ~0U, 0, ASKING_IS, SECCOMP_RET_USER_NOTIF, SIGNALS, 0 },
};

enum explain_wish { WISH_READ, WISH_OPEN, WISH_CREATE, WISH_WRITE, WISH_NAME, WISH_EXECUTE };
enum { NONE = 9 };

// Where a call has its path: arguments of the directory (NONE: the current one) and of the path.
static const struct call {
	const char *name;
	enum explain_wish wish;
	unsigned directory, path;
} calls[] = {
	{ "open", WISH_OPEN, NONE, 0 },        { "openat", WISH_OPEN, 0, 1 },
	{ "creat", WISH_CREATE, NONE, 0 },     { "truncate", WISH_WRITE, NONE, 0 },
	{ "chmod", WISH_WRITE, NONE, 0 },      { "fchmodat", WISH_WRITE, 0, 1 },
	{ "fchmodat2", WISH_WRITE, 0, 1 },
	{ "mkdir", WISH_NAME, NONE, 0 },       { "mkdirat", WISH_NAME, 0, 1 },
	{ "mknod", WISH_NAME, NONE, 0 },       { "mknodat", WISH_NAME, 0, 1 },
	{ "unlink", WISH_NAME, NONE, 0 },      { "unlinkat", WISH_NAME, 0, 1 },
	{ "rmdir", WISH_NAME, NONE, 0 },       { "rename", WISH_NAME, NONE, 0 },
	{ "rename", WISH_NAME, NONE, 1 },      { "renameat", WISH_NAME, 0, 1 },
	{ "renameat", WISH_NAME, 2, 3 },       { "renameat2", WISH_NAME, 0, 1 },
	{ "renameat2", WISH_NAME, 2, 3 },      { "link", WISH_NAME, NONE, 1 },
	{ "linkat", WISH_NAME, 2, 3 },         { "symlink", WISH_NAME, NONE, 1 },
	{ "symlinkat", WISH_NAME, 1, 2 },
	{ "stat", WISH_READ, NONE, 0 },        { "lstat", WISH_READ, NONE, 0 },
	{ "newfstatat", WISH_READ, 0, 1 },     { "statx", WISH_READ, 0, 1 },
	{ "access", WISH_READ, NONE, 0 },      { "faccessat", WISH_READ, 0, 1 },
	{ "faccessat2", WISH_READ, 0, 1 },     { "chdir", WISH_READ, NONE, 0 },
	{ "readlink", WISH_READ, NONE, 0 },    { "readlinkat", WISH_READ, 0, 1 },
	{ "execve", WISH_EXECUTE, NONE, 0 },   { "execveat", WISH_EXECUTE, 0, 1 },
};
// clang-format on

struct explain_look {
	const struct plan *plan;
	const struct seccomp_notif *asked;
	int notes;
	int root; // of the caller
};

// From the thread that looks to the loop that reports.
struct explained {
	const char *kind, *flag, *why;
	pid_t pid;
	char program[32];
	char path[PATH_MAX]; // as long as it is
};

int explain_plan(struct plan *plan)
{
	unsigned modes = plan->own_network ? 0 : SHARES;
	if (plan->tier == TIER_LANDLOCK)
		return plan->explain ? fail(0, "--explain needs namespaces: it cannot be had in "
					       "tier landlock")
				     : 0;
	if (modes & SHARES)
		TRY(asking_refuse_rings(plan));
	if (plan->explain)
		modes |= EXPLAINS | LEARNS;
	if (plan->landlock < LANDLOCK_SIGNALS || plan->nested) { // else Landlock keeps signals in
		plan->asking_group = modes == 0 && !plan->background;
		modes |= SIGNALS;
	}
	if (modes == 0 && !plan->background)
		return 0;
	return asking_compile(plan, rows, sizeof(rows) / sizeof(*rows), modes);
}

static int open_inside(const struct explain_look *look, const char *path)
{
	return sys_openat2(look->root, path, O_PATH | O_CLOEXEC,
			   RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS);
}

static void parent_of(const char *path, char parent[PATH_MAX])
{
	size_t length = strlen(path);
	while (length > 1 && path[length - 1] == '/')
		length--;
	while (length > 0 && path[length - 1] != '/')
		length--;
	while (length > 1 && path[length - 1] == '/')
		length--;
	str_put(parent, PATH_MAX, "%.*s", (int)(length ? length : 1), path);
}

// The program that asks.
static void name_program(const struct explain_look *look, char name[32])
{
	char path[64];
	snprintf(path, sizeof(path), "/proc/%u/comm", look->asked->pid);
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length = fd < 0 ? 0 : read(fd, name, 31);
	name[length > 0 ? length - 1 : 0] = '\0';
}

static void note(const struct explain_look *look, const char *kind, const char *flag,
		 const char *path, const char *why)
{
	struct explained found = {
		.kind = kind, .flag = flag, .why = why, .pid = (pid_t)look->asked->pid
	};
	name_program(look, found.program);
	if (str_put(found.path, sizeof(found.path), "%s", path))
		send(look->notes, &found, offsetof(struct explained, path) + strlen(path) + 1,
		     MSG_NOSIGNAL);
}

static void add(const struct plan *plan, struct denials *denials, const struct explained *found)
{
	const char *path = found->path;
	bool visible = str_visible(path);
	struct denial *denial =
		denials_add(denials, found->kind, str_shown(path), found->why, found->program);
	if (!denial)
		return;
	struct judgement judgement = judge_path(plan, path);
	// That nothing names a path is no line's doing.
	bool decides = judgement.verdict == PATH_READ || judgement.verdict == PATH_HIDDEN;
	const struct mount *by = decides ? judgement.by : NULL;
	if (by && by->from.file && by->from.line)
		snprintf(denial->rule, sizeof(denial->rule), "%s:%u", by->from.file, by->from.line);
	else if (by && by->from.file)
		snprintf(denial->rule, sizeof(denial->rule), "%s", by->from.file);
	const struct item *final = judge_final(plan, path, str_equal(found->kind, "write"));
	bool offers = visible && !final && strlen(path) < sizeof(denial->value);
	denial->flag = offers ? found->flag : NULL;
	str_put(denial->value, sizeof(denial->value), "%s", denial->flag ? path : "");
}

void explain_take(const struct plan *plan, const struct run *run, struct denials *denials)
{
	enum { ONE_TURN = 256 }; // as many as a socket holds, about
	struct explained found;
	for (int i = 0; i < ONE_TURN && run->explained >= 0 &&
			recv(run->explained, &found, sizeof(found), MSG_DONTWAIT) > 0;
	     i++) {
		struct denials one = { 0 };
		add(plan, denials, &found);
		if (!run->watched)
			continue;
		add(plan, &one, &found);
		run->denied(run, found.pid, steady_now(), &one.all[0]);
		denials_free(&one);
	}
}

// The real name of what a descriptor of the box stands for.
static const char *real_name(int fd, char name[PATH_MAX])
{
	char link[64];
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t length = readlink(link, name, PATH_MAX - 1);
	name[length > 0 ? length : 0] = '\0';
	// The mount that hides a file has no name any more; it is shown by the file's.
	static const char gone[] = " (deleted)";
	if (str_ends(name, gone))
		name[strlen(name) - strlen(gone)] = '\0';
	return name;
}

// Changing `path`, or the names in it: where the host would let the caller, and the box does not.
static void look_at_write(const struct explain_look *look, const char *path)
{
	char name[PATH_MAX];
	autoclose int fd = open_inside(look, path);
	if (fd < 0) {
		if (errno == ENOENT && faccessat(AT_FDCWD, path, W_OK, AT_EACCESS) == 0)
			note(look, "write", "write", path, "is not in the box");
		return;
	}
	bool hidden = judge_path(look->plan, real_name(fd, name)).verdict == PATH_HIDDEN;
	if (!hidden && faccessat(fd, "", W_OK, AT_EACCESS | AT_EMPTY_PATH) == 0)
		return;
	if (name[0] == '/' && faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) == 0)
		note(look, "write", hidden ? "read" : "write", name,
		     hidden ? "is hidden" : "is read-only in the box");
}

static void look_at_name(const struct explain_look *look, const char *path)
{
	char parent[PATH_MAX];
	parent_of(path, parent);
	look_at_write(look, parent);
}

// A file that is there, or else, when the call would make it, the directory that it would be in.
static void look_at_open(const struct explain_look *look, const char *path, bool makes)
{
	autoclose int fd = open_inside(look, path);
	if (fd < 0 && makes)
		look_at_name(look, path);
	else
		look_at_write(look, path);
}

// Programs look for many files that are nowhere needed: --explain reports those of the home alone.
static bool is_worth(const struct explain_look *look, const char *path)
{
	struct stat status;
	return look->plan->learn || (path_within(path, look->plan->home) &&
				     stat(path, &status) == 0 && S_ISREG(status.st_mode));
}

// A file of the host's that the box has not, or hides.
static void look_at_read(const struct explain_look *look, const char *path)
{
	char name[PATH_MAX];
	struct stat status;
	autoclose int fd = open_inside(look, path);
	if (fd < 0 && errno == ENOENT && is_worth(look, path) &&
	    faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) == 0)
		note(look, "read", "read", path, "is not in the box");
	else if (fd >= 0 && fstat(fd, &status) == 0 && !(status.st_mode & 0777) &&
		 judge_path(look->plan, real_name(fd, name)).verdict == PATH_HIDDEN)
		note(look, "read", "read", name, "is hidden");
}

static void look_at_program(const struct explain_look *look, const char *path)
{
	struct stat status;
	autoclose int fd = open_inside(look, path);
	if (fd >= 0 || errno != ENOENT)
		return;
	if (stat(path, &status) == 0 && S_ISREG(status.st_mode) &&
	    faccessat(AT_FDCWD, path, X_OK, AT_EACCESS) == 0)
		note(look, "execute", "read", path, "is not in the box");
}

static void look_at_socket(const struct explain_look *look)
{
	struct sockaddr_un address = { 0 };
	struct stat status;
	char path[PATH_MAX];
	const uint64_t *arguments = (const uint64_t *)look->asked->data.args;
	size_t length = arguments[2] > sizeof(address) ? sizeof(address) : (size_t)arguments[2];
	if (length <= sizeof(sa_family_t) ||
	    !asking_memory(look->asked->pid, arguments[1], &address, length) ||
	    address.sun_family != AF_UNIX || address.sun_path[0] == '\0')
		return;
	address.sun_path[sizeof(address.sun_path) - 1] = '\0';
	if (!asker_whole_path(look->asked->pid, AT_FDCWD, address.sun_path, path))
		return;
	autoclose int fd = open_inside(look, path);
	if (fd < 0 && stat(path, &status) == 0 && S_ISSOCK(status.st_mode))
		note(look, "connect", "socket", path, "is not in the box");
}

static void look_at_call(const struct explain_look *look, const struct call *call)
{
	char path[PATH_MAX], whole[PATH_MAX];
	const uint64_t *arguments = (const uint64_t *)look->asked->data.args;
	int directory = call->directory == NONE ? AT_FDCWD : (int)arguments[call->directory];
	if (!asking_path(look->asked->pid, arguments[call->path], path) || path[0] == '\0' ||
	    !asker_whole_path(look->asked->pid, directory, path, whole))
		return;
	// Its /proc speaks of the process that asks: "self" there is not us.
	if (path_within(whole, "/proc"))
		return;
	switch (call->wish) {
	case WISH_READ:
		look_at_read(look, whole);
		break;
	case WISH_OPEN:
		if (arguments[call->path + 1] & WRITES)
			look_at_open(look, whole, (arguments[call->path + 1] & O_CREAT) != 0);
		else
			look_at_read(look, whole);
		break;
	case WISH_CREATE:
		look_at_open(look, whole, true);
		break;
	case WISH_WRITE:
		look_at_write(look, whole);
		break;
	case WISH_NAME:
		look_at_name(look, whole);
		break;
	case WISH_EXECUTE:
		look_at_program(look, whole);
		break;
	}
}

void explain_answer(const struct plan *plan, const struct run *run, int notes, int *root)
{
	struct seccomp_notif asked = { 0 };
	char link[64];
	if (sys_ioctl(run->listener, SECCOMP_IOCTL_NOTIF_RECV, &asked) < 0)
		return;
	const char *name = asking_call(asked.data.nr);
	struct seccomp_notif_resp response = { .id = asked.id,
					       .flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE };
	if (str_equal(name, "bind")) {
		response = (struct seccomp_notif_resp){ .id = asked.id, .error = -EAGAIN };
		if (!asker_hand(run, &asked))
			sys_ioctl(run->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
		return;
	}
	if (asker_session(&(struct question){ plan, run, &asked, false }))
		return;
	// All in the box have one root: nothing in it can change its own.
	snprintf(link, sizeof(link), "/proc/%u/root", asked.pid);
	if (*root < 0)
		*root = open(link, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct explain_look look = { plan, &asked, notes, *root };
	if (*root >= 0 && str_equal(name, "connect"))
		look_at_socket(&look);
	for (size_t i = 0; *root >= 0 && i < sizeof(calls) / sizeof(*calls); i++)
		if (str_equal(calls[i].name, name))
			look_at_call(&look, &calls[i]);
	sys_ioctl(run->listener, SECCOMP_IOCTL_NOTIF_SEND, &response);
}
