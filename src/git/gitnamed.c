// Owns the search for keys of git's configuration that name hooks and more configuration.
#include "git/git.h"

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "git/gitconfig.h"

static const struct origin from = { .file = "git" };

// Parts of words that hint at keys, in any letter case.
static const char *const naming[] = { "hookspath", "include", "worktree", "templatedir", NULL };
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

// Returns NULL when only git can resolve the path.
static const char *expanded(struct arena *arena, const char *home, const char *directory,
			    const char *value)
{
	if (value[0] == '~') {
		size_t length = strcspn(value, "/");
		directory = length > 1 ? passwd_home(arena, value + 1, length - 1) : home;
		value = value[length] ? value + length + 1 : ".";
	}
	return directory && !str_starts(value, "%(") ? path_join(arena, directory, value) : NULL;
}

static bool is_include(const char *name)
{
	return str_equal(name, "include.path") ||
	       (str_starts(name, "includeif.") && str_ends(name, ".path"));
}

static void add_once(struct list *list, struct arena *arena, const char *text)
{
	if (!list_has(list, text))
		list_add(list, arena, text, from);
}

static void add_hooks(struct arena *arena, const char *home, const char *file, const char *value,
		      const char *top, struct gitnamed *named)
{
	const char *path = expanded(arena, home, top ? top : "/", value);
	bool relative = !strchr("/~", value[0]);
	if (!path)
		add_once(&named->unclear, arena, file);
	else if (relative)
		add_once(&named->everywhere, arena, value);
	if (path && (!relative || top))
		add_once(&named->hooks, arena, path);
}

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

enum { ROWS_OF_ONE = 3 };

// Makes the rows of a key. Git copies a template's hooks into new repositories. Git 2.52 allows
// ":(optional)" before a path.
static unsigned rows_of(struct arena *arena, const char *name, const char *value,
			struct apart_row rows[ROWS_OF_ONE])
{
	static const char optional[] = ":(optional)";
	bool template = str_equal(name, "init.templatedir");
	unsigned count = 0;
	value += str_starts(value, optional) ? strlen(optional) : 0;
	if (!value[0] || strlen(value) >= PATH_MAX) // not a path
		return 0;
	if (template || str_equal(name, "core.hookspath"))
		rows[count++] = (struct apart_row){ .kind = ROW_HOOKS, .text = value };
	if (template)
		rows[count++] = (struct apart_row){ .kind = ROW_HOOKS,
						    .text = path_below(arena, value, "hooks") };
	if (template || is_include(name))
		rows[count++] =
			(struct apart_row){ .kind = ROW_INCLUDE,
					    .text = template ? path_below(arena, value, "config")
							     : value };
	return count;
}

static void named_by(struct arena *arena, const struct gitconfig *config, struct out *answer)
{
	struct apart_row rows[ROWS_OF_ONE];
	const char *tree = gitconfig_value(config, "core.worktree");
	if (tree && strlen(tree) < PATH_MAX)
		row_text(answer, ROW_WORKTREE, tree);
	for (unsigned i = 0; i < config->count; i++) {
		const struct gitconfig_entry *entry = &config->entries[i];
		unsigned count = rows_of(arena, entry->name, entry->value, rows);
		for (unsigned j = 0; j < count; j++)
			row_text(answer, rows[j].kind, rows[j].text);
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
	named_by(question->arena, &config, question->answer);
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
			add_hooks(arena, home, file, row->text, top, named);
		if (row->kind != ROW_INCLUDE)
			continue;
		const char *more = expanded(arena, home, directory, row->text);
		add_once(more ? &named->files : &named->unclear, arena, more ? more : file);
		if (more)
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
		// The global configuration counts as own: a box that could write it already runs
		// programs outside.
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

int gitnamed_repository(struct arena *arena, const char *home, const char *git, const char *top,
			struct gitnamed *named)
{
	// A worktree shares the configuration two levels up.
	static const char *const files[] = { "config.worktree", "config", "../../config" };
	char text[GIT_POINTER_MAX];
	const char *leads = git_read_pointer(AT_FDCWD, git, GIT_FILE_PREFIX, text);
	if (leads)
		git = path_join(arena, path_parent(arena, git), leads);
	int result = 0;
	for (size_t i = 0; i < (leads ? 3 : 2); i++)
		result |= gitnamed_file(arena, home, path_join(arena, git, files[i]), top, named);
	return result;
}

static void add_setting(struct arena *arena, const char *key, const char *value,
			struct gitnamed *named)
{
	enum { QUOTES = 32 };
	const char *dot = strrchr(key, '.');
	if (!dot || !value)
		return;
	struct gitconfig_text out = { .text = arena_take(arena, 2 * (strlen(key) + strlen(value)) +
									QUOTES) };
	gitconfig_put_header(&out, arena_text(arena, "%.*s", (int)(dot - key), key));
	gitconfig_put_entry(&out, key, value, true);
	gitconfig_put(&out, "", 1);
	list_add(&named->settings, arena, out.text, from);
}

// Adds paths of a caller's variable. A relative path depends on git's current directory.
static int add_variable(struct arena *arena, const char *home, const char *name, const char *key,
			const char *value, struct gitnamed *named)
{
	struct apart_row list[ROWS_OF_ONE];
	char *lower = arena_text(arena, "%s", key);
	for (char *at = lower; *at; at++)
		*at = (char)tolower((unsigned char)*at);
	add_setting(arena, key, value, named);
	struct rows rows = { list, value ? rows_of(arena, lower, value, list) : 0 };
	if (rows.count == 0 || str_equal(value, "/dev/null"))
		return 0;
	if (strchr("/~", value[0]) || list[0].kind == ROW_HOOKS)
		return gitnamed_add(arena, home, name, &rows, NULL, named);
	add_once(&named->unclear, arena, name);
	return 0;
}

static int add_variables(struct arena *arena, const char *home, struct gitnamed *named)
{
	static const char parameters[] = "GIT_CONFIG_PARAMETERS";
	static const char *const names[][2] = { { "GIT_CONFIG_GLOBAL", "include.path" },
						{ "GIT_CONFIG_SYSTEM", "include.path" },
						{ "GIT_TEMPLATE_DIR", "init.templatedir" } };
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		TRY(add_variable(arena, home, names[i][0], names[i][1], getenv(names[i][0]),
				 named));
	const char *key = getenv("GIT_CONFIG_COUNT") ? getenv("GIT_CONFIG_KEY_0") : NULL;
	for (unsigned i = 0; key; key = getenv(arena_text(arena, "GIT_CONFIG_KEY_%u", ++i))) {
		const char *name = arena_text(arena, "GIT_CONFIG_VALUE_%u", i);
		TRY(add_variable(arena, home, name, key, getenv(name), named));
	}
	const char *text = getenv(parameters), *value;
	while (text && *text && gitconfig_parameter(arena, &text, &key, &value))
		TRY(add_variable(arena, home, parameters, key, value, named));
	if (text && *text)
		add_once(&named->unclear, arena, parameters);
	return 0;
}

int gitnamed_global(struct arena *arena, const char *home, const char *config,
		    struct gitnamed *named)
{
	named->own = true;
	TRY(gitnamed_file(arena, home, "/etc/gitconfig", NULL, named));
	TRY(gitnamed_file(arena, home, path_below(arena, config, "git/config"), NULL, named));
	TRY(gitnamed_file(arena, home, path_below(arena, home, ".gitconfig"), NULL, named));
	TRY(add_variables(arena, home, named));
	named->own = false;
	return 0;
}

void gitnamed_known(struct arena *arena, const struct rows *rows, struct list *known)
{
	rows_each (row, rows)
		if (row->kind == ROW_KNOWN)
			list_add(known, arena, arena_copy(arena, row->text, row->length), from);
}
