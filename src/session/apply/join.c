// Owns a run's part in its session. An overlay's upper directory may be mounted only once: later
// runs clone the first one's mounts.
#include "session/apply/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "boxes/record.h"
#include "run.h"
#include "session/store/store.h"

enum { OVERLAY_MAGIC = 0x794c7630 };

static int fill(struct plan *plan, const struct store *store, const struct held *held)
{
	struct lasting *lasting = plan->session;
	const struct session *session = &held->session;
	unsigned chain[CHAIN_MAX + 1];
	struct stat status;
	lasting->chain_count = session_chain(session, session->top, chain, CHAIN_MAX + 1);
	if (lasting->chain_count > CHAIN_MAX)
		return fail(0,
			    "session '%s' has more than %d layers; to flatten them: sbx session "
			    "snapshot %s",
			    held->name, CHAIN_MAX, held->name);
	for (unsigned i = 0; i < lasting->chain_count; i++)
		lasting->chain[i] = session->layers[chain[i]].id;
	memcpy(lasting->roots, session->roots, sizeof(lasting->roots));
	lasting->root_count = lasting->roots_made = session->root_count;
	for (unsigned i = 0; i < session->root_count; i++)
		plan->as_root = plan->as_root || session->roots[i].system;
	lasting->project = session->project;
	lasting->layers = store->layers_path;
	if (fstat(store->layers, &status) < 0)
		return fail(errno, "'%s'", store->layers_path);
	lasting->layers_identity = (struct identity){ status.st_dev, status.st_ino, S_IFDIR };
	if (stat(session->project, &status) < 0)
		return fail(errno, "the project of session '%s', '%s'", held->name,
			    session->project);
	if (status.st_dev != session->identity.device || status.st_ino != session->identity.inode)
		return fail(0, "'%s' is not the directory that session '%s' was made over",
			    session->project, held->name);
	return 0;
}

int join_plan(struct plan *plan, const char *state, const char *name)
{
	struct store store;
	struct held *held = arena_take(plan->arena, sizeof(*held));
	TRY(store_open(plan->arena, state, &store));
	TRY(store_hold(&store, name, HOLD_SHARED, held));
	int gate = openat(held->directory, "gate", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (gate < 0 || fd_lock(gate, LOCK_EX) < 0)
		return fail(errno, "lock session '%s'", name);
	TRY(apply_refuse_pending(held));
	// Reads the session again: an earlier run may have added a root.
	struct held again;
	TRY(store_hold(&store, name, HOLD_LOOK, &again));
	held->session = again.session;
	store_release(&again);
	plan->session = arena_take(plan->arena, sizeof(*plan->session));
	plan->session->name = name;
	plan->session->held = held;
	plan->session->gate = gate;
	TRY(fill(plan, &store, held));
	held->store = NULL;
	store_close(&store);
	return 0;
}

static int clone_mount(const char *path)
{
	struct sys_statx status;
	struct statfs kind;
	autoclose int fd =
		sys_openat2(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
	if (fd < 0 || fstatfs(fd, &kind) < 0 || kind.f_type != OVERLAY_MAGIC ||
	    sys_statx(AT_FDCWD, path, 0, &status) < 0 ||
	    !(status.attributes & SYS_STATX_MOUNT_ROOT))
		return -1;
	return sys_open_tree(fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
}

// Sends clones of another run's mounts, from a child: no process returns from another user
// namespace.
static _Noreturn void take_mounts(const struct plan *plan, uint64_t roots, int user, int view,
				  int socket)
{
	if (setns(user, CLONE_NEWUSER) < 0 || setns(view, CLONE_NEWNS) < 0)
		_exit(1);
	for (unsigned i = 0; i < plan->session->root_count; i++) {
		bool bound = plan->session->roots[i].own && plan->session->chain_count == 1;
		if (!(roots & (1ULL << i)) || bound)
			continue;
		// a clone, as a layer must not be mounted twice
		int tree = clone_mount(plan->session->roots[i].path);
		if (tree < 0 || fd_send(socket, &i, sizeof(i), &tree, 1) < 0)
			_exit(1);
		fd_close(&tree);
	}
	_exit(0);
}

static int join(const struct plan *plan, struct run *run, const struct session_run *other)
{
	int ends[2], user, view, fds[FD_PASSED], status;
	unsigned root;
	TRY(runs_enter(other, &user, &view));
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return fail(errno, "socketpair");
	pid_t helper = fork();
	if (helper == 0)
		take_mounts(plan, other->entry.roots, user, view, ends[1]);
	fd_close(&ends[1]);
	fd_close(&user);
	fd_close(&view);
	while (helper > 0 && fd_receive(ends[0], &root, sizeof(root), fds) == sizeof(root)) {
		if (root < ROOTS_MAX && run->trees[root] < 0) {
			run->trees[root] = take(&fds[0]);
			run->joined_own = run->joined_own || plan->session->roots[root].own;
		}
		fd_close(&fds[0]);
	}
	fd_close(&ends[0]);
	if (helper < 0 || waitpid(helper, &status, 0) < 0)
		return fail(errno, "join the session");
	return WIFEXITED(status) && WEXITSTATUS(status) == 0
		       ? 0
		       : fail(0,
			      "the command that runs in session '%s' cannot be joined (process %d)",
			      plan->session->name, (int)other->entry.supervisor);
}

int join_host(const struct plan *plan, struct run *run)
{
	struct runs runs;
	struct session_run other;
	int found = 0, result = 0;
	if (!plan->session)
		return 0;
	run->session = plan->session->held->directory;
	TRY(runs_open(plan->state, run->session, &runs));
	runs.clears = true;
	while (result == 0 && (found = runs_next(&runs, &other)) == 1) {
		result = join(plan, run, &other);
		if (result < 0 && err_tolerated(!runs_lasts(&other)))
			result = 0;
		record_close(&other.record);
	}
	runs_close(&runs);
	return found < 0 ? -1 : result;
}

static int open_namespace(const struct run *run, const char *name)
{
	char path[64];
	str_put(path, sizeof(path), "/proc/%d/ns/%s", (int)run->init, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd < 0 ? fail(errno, "'%s'", path) : fd;
}

// Writes the command in place, padded with zeros: a rename takes ten times as long.
static void note_command(const struct plan *plan, int session)
{
	char text[RECORD_COMMAND] = "";
	record_command(plan->command, text);
	for (char *at = text; *at; at++)
		if ((unsigned char)*at < ' ' || *at == 0x7f)
			*at = '?';
	autoclose int fd =
		openat(session, "command", O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd >= 0)
		(void)!pwrite(fd, text, sizeof(text), 0);
}

int join_note(const struct plan *plan, const struct run *run)
{
	if (!plan->session)
		return 0;
	note_command(plan, run->session);
	return runs_note(run->session, run->record_name);
}

int join_layers_host(const struct plan *plan, struct run *run)
{
	struct lasting *lasting = plan->session;
	struct store store;
	if (!lasting)
		return 0;
	if (lasting->root_count > lasting->roots_made) {
		struct held *held = lasting->held;
		TRY(store_open(plan->arena, path_parent(plan->arena, lasting->layers), &store));
		TRY(store_add_roots(&store, lasting->chain[0], lasting->roots, lasting->roots_made,
				    lasting->root_count));
		memcpy(held->session.roots, lasting->roots, sizeof(held->session.roots));
		held->session.root_count = lasting->root_count;
		TRY(store_save(held));
		for (unsigned i = lasting->roots_made; i < lasting->root_count; i++)
			TRY(seen_begin(&held->session, held->directory, i));
		store_close(&store);
	}
	TRY(run->session_user = open_namespace(run, "user"));
	TRY(run->session_view = open_namespace(run, "mnt"));
	return 0;
}

// Lets the next run enter, unless this one has no record (full disk) and cannot share its mounts.
void join_ready(const struct plan *plan, const struct run *run)
{
	// close(2) would not unlock: pid 1 has the open file, too.
	if (plan->session && run->record >= 0)
		flock(plan->session->gate, LOCK_UN);
}

void join_release(const struct plan *plan)
{
	flock(plan->session->gate, LOCK_UN);
	flock(plan->session->held->lock, LOCK_UN);
}

int join_undo(const struct plan *plan, struct run *run)
{
	if (!plan->session)
		return 0;
	runs_forget(run->session, run->record_name);
	fd_close(&run->session_user);
	fd_close(&run->session_view);
	join_release(plan);
	return 0;
}

void join_tell_place(struct plan *plan)
{
	if (plan->session)
		list_add(plan->terse ? &plan->notes : &plan->warnings, plan->arena,
			 arena_text(plan->arena,
				    "the command runs in '%s', the project of session '%s'",
				    str_shown(plan->project), plan->session->name),
			 (struct origin){ .file = "session" });
}
