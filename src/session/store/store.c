// Owns the directories of sessions and layers, and their locks.
#include "session/store/store.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/process_stat.h"
#include "text/words.h"

static const char state_name[] = "state", lock_name[] = "lock", guard_name[] = ".lock";

// On a read-only file system, opens the lock for reading only.
static int open_lock(int directory, const char *name)
{
	int fd = openat(directory, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 && (errno == EROFS || errno == EACCES))
		fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd < 0 ? fail(errno, "open the lock of a session") : fd;
}

int store_open(struct arena *arena, const char *state, struct store *ret_store)
{
	struct store store = { .arena = arena, .state = state };
	store.sessions_path = path_below(arena, state, "sessions");
	store.layers_path = path_below(arena, state, "layers");
	TRY(owned_check(state));
	TRY(store.sessions = owned_directory(store.sessions_path));
	TRY(store.layers = owned_directory(store.layers_path));
	// Resolves the path, which the box opens without symlinks.
	char own[32], real[PATH_MAX];
	snprintf(own, sizeof(own), "/proc/self/fd/%d", store.layers);
	ssize_t length = readlink(own, real, sizeof(real));
	if (length <= 0 || length == (ssize_t)sizeof(real))
		return fail(length < 0 ? errno : ENAMETOOLONG, "'%s'", store.layers_path);
	store.layers_path = arena_copy(arena, real, (size_t)length);
	TRY(store.guard = open_lock(store.layers, guard_name));
	if (mkdirat(store.layers, EMPTY_LAYER, 0755) < 0 && errno != EEXIST)
		return fail(errno, "make '%s/" EMPTY_LAYER "'", store.layers_path);
	*ret_store = store;
	return 0;
}

void store_close(struct store *store)
{
	fd_close(&store->sessions);
	fd_close(&store->layers);
	fd_close(&store->guard);
}

int store_read_file(struct arena *arena, int directory, const char *name, size_t most,
		    const char **ret_text, size_t *ret_length)
{
	int found = file_read(directory, name, 0, most, arena, ret_text, ret_length);
	return found >= 0 ? found : file_failed(arena_text(arena, "'%s' of a session", name), most);
}

int store_unusable(const struct held *held, const char *name)
{
	return fail(0,
		    "'%s/%s/%s' cannot be used: %s; nothing was changed. To continue without it, "
		    "with more conflicts: rm '%s/%s/%s'",
		    held->store->sessions_path, held->name, name, err_taken(),
		    held->store->sessions_path, held->name, name);
}

static int read_state(struct held *held)
{
	struct store *store = held->store;
	const char *text;
	size_t length;
	int found = store_read_file(store->arena, held->directory, state_name, SESSION_BYTES_MAX,
				    &text, &length);
	if (found <= 0)
		return found < 0 ? -1 : fail(ENOENT, "read '%s' of a session", state_name);
	if (session_parse(store->arena, text, length, &held->session) == 0)
		return 0;
	return fail(
		0,
		"the state of session '%s' cannot be used: %s ('%s/%s/state'); nothing was changed",
		held->name, err_taken(), store->sessions_path, held->name);
}

static const struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

static int say_in_use(const char *name, pid_t user, const char *what)
{
	char who[32] = "a process";
	if (user > 0)
		snprintf(who, sizeof(who), "process %d", (int)user);
	const char *where = user == 0 ? " of another pid namespace or machine" : "";
	return fail(0,
		    "session '%s' is in use by %s%s, %s; try again when it has ended; to see it: "
		    "sbx session show %s",
		    name, who, where, what, name);
}

// Waits for a short action on the session, but not for a command, which may run for days.
static int lock_alone(const struct store *store, const char *name, int directory, int lock)
{
	enum { LONGEST_MILLISECONDS = 5000, LOOK_MILLISECONDS = 10 };
	int64_t end = steady_now() + LONGEST_MILLISECONDS;
	pid_t user;
	while (fd_lock(lock, LOCK_EX | LOCK_NB) < 0) {
		if (errno != EWOULDBLOCK)
			return fail(errno, "lock session '%s'", name);
		if (runs_live(store->state, directory, &user))
			return say_in_use(name, user, "which runs a command in it");
		if (steady_now() >= end)
			return say_in_use(name, process_holding(lock, whole), "an action on it");
		poll(NULL, 0, LOOK_MILLISECONDS);
	}
	return 0;
}

static int unknown_session(struct arena *arena, int sessions, const char *name)
{
	struct near near = { .word = name };
	char **names = NULL;
	int count = ATTEMPT(names_in(arena, sessions, &names));
	for (int i = 0; i < count; i++)
		near_consider(&near, names[i]);
	if (near.found)
		return fail(0, "no session '%s', did you mean '%s'?", name, near.found);
	return fail(0,
		    "no session '%s'; yours: sbx session list; to make it: sbx session create %s",
		    name, name);
}

static int check_name(const char *name)
{
	return session_is_name(name)
		       ? 0
		       : fail(0,
			      "'%.80s' is not a valid name of a session: letters, digits, '.', '_' "
			      "and '-', not first '.' or '-'",
			      str_shown(name));
}

int store_hold(struct store *store, const char *name, enum hold hold, struct held *ret_held)
{
	struct held held = { .store = store, .name = name, .lock = -1 };
	TRY(check_name(name));
	autoclose int directory = fd_directory(store->sessions, name);
	if (directory < 0 && errno == ENOENT)
		return unknown_session(store->arena, store->sessions, name);
	if (directory < 0)
		return fail(errno, "session '%s'", name);
	held.directory = directory;
	autoclose int lock = -1;
	if (hold != HOLD_LOOK)
		TRY(lock = open_lock(directory, lock_name));
	if (hold == HOLD_SHARED && fd_lock(lock, LOCK_SH) < 0)
		return fail(errno, "lock session '%s'", name);
	if (hold == HOLD_ALONE) {
		TRY(lock_alone(store, name, directory, lock));
		fcntl(lock, F_SETLK, &whole); // processes that wait for the lock read this pid
					      // (fcntl(2), F_GETLK)
		TRY(runs_settle(store->state, directory));
	}
	TRY(read_state(&held));
	held.directory = take(&directory);
	held.lock = take(&lock);
	*ret_held = held;
	return 0;
}

void store_release(struct held *held)
{
	fd_close(&held->directory);
	fd_close(&held->lock);
}

int store_save(const struct held *held)
{
	struct out out = { 0 };
	session_format(&held->session, &out);
	int result = owned_write(held->directory, state_name, out.text, out.used);
	out_free(&out);
	return result;
}

static mode_t root_mode(const struct root *root)
{
	struct stat status;
	bool shared = str_equal(root->path, "/tmp") || str_equal(root->path, "/var/tmp");
	if (root->own)
		return shared ? 01777 : 0755;
	return stat(root->path, &status) == 0 ? status.st_mode & 07777 : 0755;
}

// Sets the mode by chmod: mkdir(2) would apply the umask.
static int make_place(const struct store *store, const char *place, mode_t mode)
{
	if ((mkdirat(store->layers, place, 0700) < 0 && errno != EEXIST) ||
	    fchmodat(store->layers, place, mode, 0) < 0)
		return fail(errno, "make '%s/%s'", store->layers_path, place);
	return 0;
}

int store_add_roots(const struct store *store, const char *id, const struct root *roots,
		    unsigned from, unsigned count)
{
	char place[PLACE_MAX];
	for (unsigned i = from; i < count; i++) {
		place_of_work(place, id, roots[i].own, i);
		TRY(make_place(store, place, 0700));
		if (roots[i].own) {
			str_put(place, sizeof(place), "%s/" PLACE_OWN, id);
			TRY(make_place(store, place, 0755));
		}
		place_of_root(place, id, roots[i].own, i);
		TRY(make_place(store, place, root_mode(&roots[i])));
	}
	return 0;
}

// Fails without user attributes: overlayfs would mount, but fail later when a directory is
// replaced.
static int check_attributes(const struct store *store)
{
	static const char name[] = "user.sbx";
	autoclose int fd = fd_directory(store->layers, EMPTY_LAYER);
	if (fd < 0 || fsetxattr(fd, name, "", 0, 0) < 0)
		return fail(errno,
			    "'%s' is on a file system without extended attributes, which sessions "
			    "need; "
			    "XDG_STATE_HOME names another place",
			    store->layers_path);
	fremovexattr(fd, name);
	return 0;
}

int store_begin(struct store *store, const char *project, struct session *ret_session)
{
	struct stat status;
	struct session session = { .project = project, .from = "" };
	if (stat(project, &status) < 0)
		return fail(errno, "'%s'", project);
	TRY(check_attributes(store));
	state_begin(&session.base);
	session.identity = (struct identity){ status.st_dev, status.st_ino, S_IFDIR };
	session.created = session.base.tv_sec;
	session.layers = arena_take(store->arena, SESSION_LAYERS_MAX * sizeof(*session.layers));
	*ret_session = session;
	return 0;
}

int store_share(struct store *store)
{
	return fd_lock(store->guard, LOCK_SH) < 0 ? fail(errno, "lock '%s'", store->layers_path)
						  : 0;
}

int store_add_layer(struct store *store, struct session *session, int parent)
{
	char *id = arena_take(store->arena, LAYER_ID + 1);
	uint32_t random;
	if (session->layer_count == SESSION_LAYERS_MAX)
		return fail(0,
			    "more than %d layers; remove snapshots: sbx session rm NAME@SNAPSHOT",
			    SESSION_LAYERS_MAX);
	TRY(store_share(store));
	int made;
	do {
		if (getrandom(&random, sizeof(random), 0) != sizeof(random))
			return fail(errno, "getrandom");
		snprintf(id, LAYER_ID + 1, "%08x", random);
		made = mkdirat(store->layers, id, 0700);
	} while (made < 0 && errno == EEXIST);
	if (made < 0)
		return fail(errno, "make '%s/%s'", store->layers_path, id);
	TRY(store_add_roots(store, id, session->roots, 0, session->root_count));
	session->top = session->layer_count;
	session->layers[session->layer_count++] = (struct layer){ id, parent };
	return 0;
}

int store_names(struct store *store, char ***ret_names)
{
	int kept = 0, count = ATTEMPT(names_in(store->arena, store->sessions, ret_names));
	for (int i = 0; i < count; i++)
		if (session_is_name((*ret_names)[i]))
			(*ret_names)[kept++] = (*ret_names)[i];
	return count < 0 ? fail(errno, "list the sessions") : kept;
}

int store_create(struct store *store, const char *name, const struct session *session)
{
	char fresh[OWNED_FRESH];
	struct held held = { .name = name, .lock = -1, .session = *session };
	TRY(check_name(name));
	if (!name[strspn(name, "0123456789")])
		return fail(0, "'%.80s' could be the id of a run: a name has more than digits",
			    name);
	TRY(store_share(store));
	TRY(owned_fresh(fresh, STORE_FRESH));
	if (mkdirat(store->sessions, fresh, 0700) < 0)
		return fail(errno, "make session '%s'", name);
	autoclose int directory = fd_directory(store->sessions, fresh);
	autoclose int lock = directory < 0 ? -1 : open_lock(directory, lock_name);
	if (directory < 0 || lock < 0)
		return fail(errno, "make session '%s'", name);
	held.directory = directory;
	bool saved = store_save(&held) == 0;
	if (saved && fd_rename_new(store->sessions, fresh, store->sessions, name) == 0)
		return take(&directory);
	int problem = errno;
	owned_remove_tree(store->sessions, fresh);
	return !saved              ? -1
	       : problem == EEXIST ? fail(0, "there is a session '%s' already", name)
				   : fail(problem, "make session '%s'", name);
}

int store_remove(struct held *held)
{
	struct store *store = held->store;
	char gone[OWNED_FRESH];
	TRY(store_share(store));
	TRY(owned_fresh(gone, STORE_FRESH));
	if (renameat(store->sessions, held->name, store->sessions, gone) < 0)
		return fail(errno, "remove session '%s'", held->name);
	return owned_remove_tree(store->sessions, gone);
}

// Fails if a session is unreadable, as it might use any layer: none is removed then.
static int note_layers(struct store *store, struct list *used)
{
	struct held held;
	char **names;
	int count = store_names(store, &names);
	TRY(count);
	for (int i = 0; i < count; i++) {
		TRY(store_hold(store, names[i], HOLD_LOOK, &held));
		for (unsigned j = 0; j < held.session.layer_count; j++)
			list_add(used, store->arena, held.session.layers[j].id,
				 (struct origin){ 0 });
		store_release(&held);
	}
	return 0;
}

int store_sweep(struct store *store)
{
	struct list used = { NULL, NULL };
	char **names;
	int removed = 0, count;
	if (fd_lock(store->guard, LOCK_EX | LOCK_NB) < 0)
		return 0;
	TRY(note_layers(store, &used));
	TRY(count = names_in(store->arena, store->sessions, &names));
	for (int i = 0; i < count; i++)
		if (str_starts(names[i], STORE_FRESH))
			TRY(owned_remove_tree(store->sessions, names[i]));
	TRY(count = names_in(store->arena, store->layers, &names));
	for (int i = 0; i < count; i++) {
		if (strlen(names[i]) != LAYER_ID || names[i][0] == '.' || list_has(&used, names[i]))
			continue;
		TRY(owned_remove_tree(store->layers, names[i]));
		removed++;
	}
	fd_lock(store->guard, LOCK_UN);
	return removed;
}
