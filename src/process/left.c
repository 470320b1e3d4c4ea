// Owns the search for files left in the private home. It is bounded, follows no link and enters no
// other mount.
#include "process/ns.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "plan.h"
#include "run.h"

enum { SHOWN_MAX = 3, ENTRIES_MAX = 512, DEPTH_MAX = 8, HOME_MAX = 1024 };

// A cache of profiles/base.ini, which is not reported.
static const char cache[] = "go/pkg";
static const char others[] = "...";
static const char settings[] = ".bashrc .profile .zshrc .gitconfig";
static const char bin[] = "/bin/", gnupg[] = ".gnupg", keys[] = "/private-keys-v1.d/";

static char home[HOME_MAX];

struct look {
	struct message *message;
	size_t used;
	unsigned named, entries;
	char path[sizeof(((struct message *)0)->text)];
};

void left_begin(const struct plan *plan)
{
	if (plan->tier == TIER_LANDLOCK || plan->session || strlen(plan->real_home) >= HOME_MAX)
		return;
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (plan->mounts[i].kind == MOUNT_TMPFS &&
		    str_equal(plan->mounts[i].target, plan->real_home))
			memcpy(home, plan->real_home, strlen(plan->real_home) + 1);
}

static bool is_done(const struct look *look)
{
	return look->named > SHOWN_MAX || look->entries >= ENTRIES_MAX;
}

static void add(struct look *look)
{
	char *text = look->message->left;
	size_t length = strlen(look->path) + 1;
	bool fits = look->used + length + sizeof(others) < sizeof(look->message->left);
	const char *shown = look->named == SHOWN_MAX || !fits ? others : look->path;
	look->named = fits ? look->named + 1 : SHOWN_MAX + 1;
	length = strlen(shown) + 1;
	memcpy(text + look->used, shown, length);
	look->used += length;
	text[look->used] = '\0';
}

static void look_in(struct look *look, int directory, size_t length, unsigned depth);

static void look_below(struct look *look, int home_directory, size_t end, const char *place)
{
	size_t length = strlen(place);
	memcpy(look->path + end, place, length + 1);
	autoclose int fd =
		sys_openat2(home_directory, look->path, O_CLOEXEC | O_RDONLY | O_DIRECTORY,
			    RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS);
	if (fd >= 0)
		look_in(look, fd, end + length, DEPTH_MAX);
}

static void take_entry(struct look *look, int directory, const struct sys_entry *entry,
		       size_t length, unsigned depth)
{
	bool below = entry->type == DT_DIR, program = look->path[0] == '.' && length > 0;
	bool dot = entry->name[0] == '.';
	size_t name = strlen(entry->name), end = length + name;
	look->entries++;
	if ((dot && (length > 0 || entry->name[1 + (entry->name[1] == '.')] == '\0' ||
		     (!below && !str_has_word(settings, entry->name, name)))) ||
	    (!below && entry->type != DT_REG && !(program && entry->type == DT_LNK)) ||
	    end + sizeof(keys) > sizeof(look->path))
		return;
	memcpy(look->path + length, entry->name, name + 1);
	if (dot && below) {
		look_below(look, directory, end, str_equal(entry->name, gnupg) ? keys : bin);
		return;
	}
	if (below && (depth == DEPTH_MAX || str_equal(look->path, cache)))
		return;
	autoclose int fd =
		sys_openat2(directory, entry->name,
			    O_NOFOLLOW | O_CLOEXEC | (below ? O_RDONLY | O_DIRECTORY : O_PATH),
			    RESOLVE_NO_XDEV | RESOLVE_NO_SYMLINKS);
	if (fd >= 0 && below) {
		memcpy(look->path + end, "/", 2);
		look_in(look, fd, end + 1, depth + 1);
	} else if (fd >= 0) {
		add(look);
	}
}

static void look_in(struct look *look, int directory, size_t length, unsigned depth)
{
	_Alignas(struct sys_entry) char entries[2048] __attribute__((uninitialized));
	long size;
	while (!is_done(look) && (size = sys_getdents(directory, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size && !is_done(look);) {
			const struct sys_entry *entry = (const void *)(entries + at);
			at += entry->size;
			take_entry(look, directory, entry, length, depth);
		}
}

void left_look(struct run *run, uint64_t used)
{
	struct look look = { .message = &run->message };
	if (!home[0] || used <= run->made)
		return;
	autoclose int fd = sys_openat2(AT_FDCWD, home, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	if (fd >= 0)
		look_in(&look, fd, 0, 0);
}
