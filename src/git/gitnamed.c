// Owns the search for the few keys of git's configuration that name hooks and more configuration.
#include "git/recognise.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "git/gitconfig.h"

static const struct origin from = { .file = "git" };

// In whatever case, and also within other words; without NULL at the end no list.
static const char *const naming[] = { "hookspath", "include", "worktree", NULL };
static const char *const knowing[] = { "remote", "branch", "submodule", NULL };
static const char *const private[] = { "worktreeconfig", NULL };

static bool says(const char *text, size_t length, const char *const *words)
{
	for (; *words; words++) {
		size_t size = strlen(*words);
		for (size_t i = 0; i + size <= length; i++)
			if ((text[i] | ' ') == **words && strncasecmp(text + i, *words, size) == 0)
				return true;
	}
	return false;
}

static const char *expanded(struct arena *arena, const char *home, const char *directory,
			    const char *value)
{
	if (str_starts(value, "~/"))
		return path_join(arena, home, value + 2);
	return path_join(arena, directory, value);
}

static bool is_include(const char *name)
{
	return str_equal(name, "include.path") ||
	       (str_starts(name, "includeif.") && str_ends(name, ".path"));
}

static void add_hooks(struct arena *arena, const char *home, const char *value, const char *top,
		      struct gitnamed *named)
{
	bool relative = value[0] != '/' && !str_starts(value, "~/");
	if (relative && !top)
		list_add(&named->everywhere, arena, value, from);
	else
		list_add(&named->hooks, arena, expanded(arena, home, top ? top : "/", value), from);
}

// Of a section, and of a key that names a remote.
static void known(struct arena *arena, const struct gitconfig *config, struct out *answer)
{
	for (unsigned i = 0; i < config->section_count; i++)
		row_text(answer, ROW_KNOWN, config->sections[i].name);
	for (unsigned i = 0; i < config->count; i++) {
		const struct gitconfig_entry *entry = &config->entries[i];
		if (str_ends(entry->name, "remote") || str_ends(entry->name, ".pushdefault"))
			row_text(answer, ROW_KNOWN, arena_text(arena, "remote.%s", entry->value));
	}
}

static void named_by(const struct gitconfig *config, struct out *answer)
{
	const char *tree = gitconfig_value(config, "core.worktree");
	if (tree && strlen(tree) < PATH_MAX)
		row_text(answer, ROW_WORKTREE, tree);
	for (unsigned i = 0; i < config->count; i++) {
		const struct gitconfig_entry *entry = &config->entries[i];
		if (strlen(entry->value) >= PATH_MAX) // no path
			continue;
		if (entry->value[0] && str_equal(entry->name, "core.hookspath"))
			row_text(answer, ROW_HOOKS, entry->value);
		if (entry->value[0] && is_include(entry->name))
			row_text(answer, ROW_INCLUDE, entry->value);
	}
}

static void read_config(struct apart_text *question)
{
	struct gitconfig config;
	if (says(question->text, question->length, private))
		row_text(question->answer, ROW_PRIVATE, "");
	if (ATTEMPT(gitconfig_parse(question->arena, question->text, question->length, &config)) <
	    0) {
		if (says(question->text, question->length, naming))
			row_text(question->answer, ROW_UNCLEAR, "");
		return;
	}
	known(question->arena, &config, question->answer);
	named_by(&config, question->answer);
}

int gitnamed_ahead(const char *text, size_t length)
{
	return !says(text, length, naming)
		       ? 0
		       : apart_ahead(read_config,
				     &(struct apart_text){ .text = text, .length = length });
}

int gitnamed_read(enum apart whose, struct arena *arena, const char *text, size_t length,
		  bool remotes, struct rows *ret_rows)
{
	static const unsigned kinds = ROW_BIT(ROW_HOOKS) | ROW_BIT(ROW_INCLUDE) |
				      ROW_BIT(ROW_WORKTREE) | ROW_BIT(ROW_KNOWN) |
				      ROW_BIT(ROW_PRIVATE) | ROW_BIT(ROW_UNCLEAR);
	const struct apart_text question = { .text = text, .length = length };
	*ret_rows = (struct rows){ NULL, 0 };
	if (!says(text, length, naming) && !(remotes && says(text, length, knowing)))
		return 0;
	return apart_ask(whose, read_config, &question, kinds, arena, ret_rows);
}

int gitnamed_add(struct arena *arena, const char *home, const char *file, const struct rows *rows,
		 const char *top, struct gitnamed *named)
{
	const char *directory = path_parent(arena, file), *tree = rows_text(rows, ROW_WORKTREE);
	if (tree && !top)
		top = path_join(arena, directory, tree);
	rows_each (row, rows) {
		if (row->kind == ROW_UNCLEAR)
			list_add(&named->unclear, arena, file, from);
		if (row->kind == ROW_HOOKS)
			add_hooks(arena, home, row->text, top, named);
		if (row->kind != ROW_INCLUDE)
			continue;
		const char *more = expanded(arena, home, directory, row->text);
		list_add(&named->files, arena, more, from);
		TRY(gitnamed_file(arena, home, more, top, named));
	}
	return 0;
}

int gitnamed_file(struct arena *arena, const char *home, const char *file, const char *top,
		  struct gitnamed *named)
{
	const char *text;
	size_t length;
	int found =
		file_read(AT_FDCWD, file, FILE_LINK, GITCONFIG_BYTES_MAX, arena, &text, &length);
	if (found < 0 || (found > 0 && named->count++ >= GITNAMED_FILES_MAX)) {
		list_add(&named->unclear, arena, file, from);
	} else if (length > 0) {
		struct gitnamed_text *one = arena_take(arena, sizeof(*one));
		// A box that could write the global configuration already executes code outside.
		enum apart whose = named->own     ? APART_OWN
				   : named->whose ? named->whose(named->with, file)
						  : APART_OTHERS;
		*one = (struct gitnamed_text){ .path = file,
					       .text = text,
					       .length = length,
					       .own = named->own,
					       .whose = whose };
		TRY(gitnamed_read(whose, arena, text, length, true, &one->rows));
		*(named->last ? &named->last->next : &named->first) = one;
		named->last = one;
		TRY(gitnamed_add(arena, home, file, &one->rows, top, named));
	}
	return 0;
}

int gitnamed_global(struct arena *arena, const char *home, const char *config,
		    struct gitnamed *named)
{
	named->own = true;
	TRY(gitnamed_file(arena, home, "/etc/gitconfig", NULL, named));
	TRY(gitnamed_file(arena, home, path_below(arena, config, "git/config"), NULL, named));
	TRY(gitnamed_file(arena, home, path_below(arena, home, ".gitconfig"), NULL, named));
	named->own = false;
	return 0;
}

void gitnamed_known(struct arena *arena, const struct rows *rows, struct list *known)
{
	rows_each (row, rows)
		if (row->kind == ROW_KNOWN)
			list_add(known, arena, arena_copy(arena, row->text, row->length), from);
}
