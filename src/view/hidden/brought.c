// Owns the files that the box gets because a variable or setting names them: small regular files,
// read-only.
#include "view/hidden/hide.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "env/env.h"
#include "names/names.h"
#include "text/words.h"
#include "view/paths/wishes.h"

enum { BYTES_MAX = 1 << 20, ENTRIES_MAX = 256, ALL_BYTES_MAX = 8 << 20, DEPTH_MAX = 3 };

struct bring {
	struct wishes *wishes;
	const char *name;
	bool variable;
	enum path_form form;
	struct origin from;
	unsigned entries;
	int64_t bytes;
	const char *why;
};

static int refuse(struct bring *bring, const char *why)
{
	bring->why = bring->why ? bring->why : why;
	return 0;
}

// Gives each file a separate origin, by which planted_refuse() finds its links.
static int add_links(struct bring *bring, const struct resolved *resolved)
{
	bring->from.line = bring->wishes->count;
	return wishes_add_links(bring->wishes, resolved, bring->from);
}

static int show(struct bring *bring, const struct resolved *file, const char *text)
{
	struct wishes *wishes = bring->wishes;
	struct mount mount = { .kind = MOUNT_BIND,
			       .access = ACCESS_READ,
			       .target = file->path,
			       .source = file->path,
			       .identity = file->identity };
	if (text && wishes->plan->tier == TIER_LANDLOCK)
		return refuse(bring, "without a mount namespace only a whole file can be shown");
	if (text) {
		mount.kind = MOUNT_TEXT;
		mount.source = text;
	}
	TRY(add_links(bring, file));
	mount.from = bring->from;
	return wishes_add(wishes, &mount, false);
}

// Opens the file once and judges its text. The view shows the judged text, or the file if the mount
// finds the same inode.
static int bring_regular(struct bring *bring, const struct resolved *file)
{
	struct arena *arena = bring->wishes->arena;
	struct stat status;
	const char *text = NULL, *shown = NULL;
	size_t length;
	bool roots = bring->form == PATH_OF_ROOTS || bring->form == PATH_OF_OTHER_ROOTS;
	bool lines = bring->form == PATH_OF_SETTINGS;
	autoclose int fd = file_open(AT_FDCWD, file->path, 0, &status);
	if (fd < 0)
		return refuse(bring, "you cannot read it");
	if (status.st_dev != file->identity.device || status.st_ino != file->identity.inode)
		return fail(ERR_CHANGED, "'%s' changed while the plan was made", file->path);
	if (status.st_uid != 0 && status.st_uid != bring->wishes->plan->uid)
		return refuse(bring, "it is another user's");
	if (status.st_size > BYTES_MAX)
		return refuse(bring, "it is larger than 1 MiB");
	bring->bytes += status.st_size;
	if ((roots || lines) && file_read_open(fd, &status, BYTES_MAX, arena, &text, &length) < 0)
		return refuse(bring, "you cannot read it");
	if (roots) {
		TRY(settings_shown(bring->wishes, file->path, SETTINGS_ROOTS, text, length,
				   &shown));
		if (!shown[0])
			return refuse(bring, "it holds no certificate in PEM");
		shown = strlen(text) == length && str_equal(shown, text) ? NULL : shown;
	}
	if (lines)
		TRY(settings_shown(bring->wishes, file->path, SETTINGS_LINES, text, length,
				   &shown));
	if (shown && !shown[0])
		return refuse(bring, "it may hold secrets in any line");
	return show(bring, file, shown);
}

static int bring_path(struct bring *bring, const char *path, unsigned depth);

static int bring_entries(struct bring *bring, const char *directory, unsigned depth)
{
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return refuse(bring, "you cannot read it");
	entries_each (entry, fd) {
		struct bring one = *bring;
		one.why = NULL;
		one.entries++;
		TRY(bring_path(&one, path_below(bring->wishes->arena, directory, entry->name),
			       depth + 1));
		bring->entries = one.entries;
		bring->bytes = one.bytes;
		if (bring->entries > ENTRIES_MAX || bring->bytes > ALL_BYTES_MAX)
			return refuse(bring, "it holds more than 256 files or 8 MiB");
	}
	return 0;
}

static int bring_directory(struct bring *bring, const char *directory, unsigned depth)
{
	const struct plan *plan = bring->wishes->plan;
	if (bring->form == PATH_OF_GIT || bring->form == PATH_OF_SETTINGS)
		return refuse(bring, "it is a directory");
	if (path_within(plan->real_home, directory) ||
	    (plan->toplevel && path_within(plan->toplevel, directory)) || depth > DEPTH_MAX)
		return refuse(bring, "it holds more than small files");
	return bring_entries(bring, directory, depth);
}

static int bring_path(struct bring *bring, const char *path, unsigned depth)
{
	struct wishes *wishes = bring->wishes;
	struct resolved resolved;
	int found = ATTEMPT(resolve_path(wishes->resolver, path, &resolved));
	if (found < 0)
		return refuse(bring, "you cannot reach it");
	if (found == 0)
		return 0;
	if (planted_is(wishes, &resolved))
		return refuse(bring, "a command in a box could have made a link on the way");
	const struct mount *seen = wishes_seen(wishes, resolved.path);
	if (wishes_is_seen(wishes, resolved.path) || (seen && seen->kind == MOUNT_TEXT))
		return add_links(bring, &resolved);
	switch (resolved.identity.type) {
	case S_IFREG:
		if (bring->form == PATH_OF_GIT)
			return refuse(bring, "it cannot be shown");
		return bring_regular(bring, &resolved);
	case S_IFDIR:
		TRY(add_links(bring, &resolved));
		return bring_directory(bring, resolved.path, depth);
	default:
		return refuse(bring, "it is not a regular file");
	}
}

// Adds the caller's terminal, which stays if the terminfo directory is too large.
static int bring_terminal(struct bring *bring, const char *directory)
{
	const char *term = homes_value(bring->wishes->places.environment, "TERM", strlen("TERM"));
	if (!term || !term[0] || strchr(term, '/'))
		return 0;
	struct arena *arena = bring->wishes->arena;
	const char *plain = arena_text(arena, "%c/%s", term[0], term);
	const char *coded = arena_text(arena, "%02x/%s", term[0], term);
	TRY(bring_path(bring, path_join(arena, directory, plain), 1));
	return bring_path(bring, path_join(arena, directory, coded), 1);
}

static void note(struct bring *bring, const char *path, const char *why)
{
	struct wishes *wishes = bring->wishes;
	const char *text = arena_text(wishes->arena, "%s names '%s', which is not in the box: %s",
				      bring->name, str_shown(path), why);
	struct list *list = bring->variable ? &wishes->plan->unbrought : &wishes->plan->notes;
	list_add(list, wishes->arena, text, (struct origin){ .file = bring->name });
}

static int bring_name(struct bring *bring, const char *path)
{
	struct wishes *wishes = bring->wishes;
	unsigned first = wishes->count;
	if (bring->form == PATH_OF_TERMINALS)
		TRY(bring_terminal(bring, path));
	unsigned kept = wishes->count;
	bring->why = NULL;
	bring->entries = 0;
	bring->bytes = 0;
	TRY(bring_path(bring, path, 0));
	bool some = bring->form == PATH_OF_TERMINALS && kept > first;
	for (unsigned i = some ? kept : first; bring->why && i < wishes->count; i++)
		wishes->list[i].covered = true;
	if (bring->why && !some)
		note(bring, path, bring->why);
	else if (wishes->count > first)
		list_add(&wishes->brought, wishes->plan->scratch, path,
			 (struct origin){ bring->name, first, wishes->count });
	return 0;
}

static int bring_value(struct bring *bring, const char *value)
{
	struct arena *arena = bring->wishes->arena;
	bool list = bring->form == PATH_OF_TERMINALS || bring->form == PATH_OF_OTHER_ROOTS;
	while (*value) {
		size_t length = list ? strcspn(value, ":") : strlen(value);
		if (value[0] == '/')
			TRY(bring_name(bring, path_clean(arena, arena_copy(arena, value, length))));
		value += length + (value[length] != '\0');
	}
	return 0;
}

static int bring_variable(struct wishes *wishes, const char *entry, const char *value)
{
	const struct plan *plan = wishes->plan;
	size_t length = (size_t)(value - entry - 1);
	for (const struct path_variable *row = path_variables; row->name; row++) {
		struct bring bring = { .wishes = wishes,
				       .name = row->name,
				       .variable = true,
				       .form = row->form,
				       .from = { .file = row->name } };
		if (strncmp(entry, row->name, length) != 0 || row->name[length] != '\0')
			continue;
		if ((row->form == PATH_OF_ROOTS && plan->roots_path) ||
		    env_withheld(plan, row->name, value))
			return 0;
		return bring_value(&bring, value);
	}
	return 0;
}

int brought_plan(struct wishes *wishes)
{
	const char *home = wishes->plan->home;
	bool home_is_there = wishes_seen(wishes, wishes->plan->real_home) != NULL;
	struct bring terminals = { .wishes = wishes,
				   .name = "~/.terminfo",
				   .form = PATH_OF_TERMINALS,
				   .from = { .file = "terminfo" } };
	for (char *const *entry = wishes->places.environment; *entry; entry++) {
		const char *value = strchr(*entry, '=');
		if (value && strchr(value, '/'))
			TRY(bring_variable(wishes, *entry, value + 1));
	}
	list_each (item, &wishes->files) {
		struct bring bring = { .wishes = wishes,
				       .name = item->from.file,
				       .form = item->from.line ? PATH_OF_OTHER_ROOTS
							       : PATH_OF_DIRECTORY,
				       .from = { .file = "git" } };
		if (str_starts(item->text, "~/"))
			TRY(bring_name(&bring, path_join(wishes->arena, home, item->text + 2)));
		else if (item->text[0] == '/')
			TRY(bring_name(&bring, path_clean(wishes->arena, item->text)));
	}
	if (home_is_there && !wishes_lack(wishes, "~/.terminfo"))
		TRY(bring_name(&terminals, path_below(wishes->arena, home, ".terminfo")));
	return 0;
}

void brought_settle(struct wishes *wishes)
{
	list_each (item, &wishes->brought) {
		bool any = false, visible = false;
		for (unsigned i = item->from.line; i < item->from.order && !visible; i++) {
			const struct wish *wish = &wishes->list[i];
			if (wish->mount.kind == MOUNT_LINK)
				continue;
			any = true;
			visible = !wish->covered && !wishes_is_hidden(wishes, wish->mount.target);
		}
		struct bring bring = { .wishes = wishes,
				       .name = item->from.file,
				       .variable = !strchr(item->from.file, '.') };
		if (any && !visible)
			note(&bring, item->text, "it is in a place of secrets");
	}
}
