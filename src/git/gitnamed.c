// Owns the search for the few keys of git's configuration that name hooks and more configuration.
#include "git/recognise.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "base/fd.h"
#include "git/gitconfig.h"

static const struct origin from = { .file = "git" };

static bool has_word(const char *text, size_t length, const char *word)
{
	size_t size = strlen(word);
	for (size_t i = 0; i + size <= length; i++)
		if ((text[i] | ' ') == word[0] && strncasecmp(text + i, word, size) == 0)
			return true;
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
		list_add(&named->everywhere, arena, arena_copy(arena, value, strlen(value)), from);
	else
		list_add(&named->hooks, arena, expanded(arena, home, top ? top : "/", value), from);
}

void gitnamed_text(struct arena *arena, const char *home, const char *file, const char *text,
		   size_t length, const char *top, struct gitnamed *named)
{
	struct gitconfig config;
	if (!has_word(text, length, "hookspath") && !has_word(text, length, "include"))
		return;
	const char *directory = path_parent(arena, file);
	struct arena *brief = arena_new();
	if (ATTEMPT(gitconfig_parse(brief, text, length, &config)) < 0) {
		list_add(&named->unclear, arena, file, from);
		config.count = 0;
	}
	const char *tree =
		config.count > 0 && !top ? gitconfig_value(&config, "core.worktree") : NULL;
	if (tree)
		top = path_join(arena, directory, tree);
	for (unsigned i = 0; i < config.count; i++) {
		const struct gitconfig_entry *entry = &config.entries[i];
		if (!entry->value[0])
			continue;
		if (str_equal(entry->name, "core.hookspath"))
			add_hooks(arena, home, entry->value, top, named);
		if (!is_include(entry->name))
			continue;
		const char *more = expanded(arena, home, directory, entry->value);
		list_add(&named->files, arena, more, from);
		gitnamed_file(arena, home, more, top, named);
	}
	arena_free(brief);
}

void gitnamed_file(struct arena *arena, const char *home, const char *file, const char *top,
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
		*one = (struct gitnamed_text){ NULL, file, text, length, named->own };
		*(named->last ? &named->last->next : &named->first) = one;
		named->last = one;
		gitnamed_text(arena, home, file, text, length, top, named);
	}
}

void gitnamed_global(struct arena *arena, const char *home, const char *config,
		     struct gitnamed *named)
{
	named->own = true;
	gitnamed_file(arena, home, "/etc/gitconfig", NULL, named);
	gitnamed_file(arena, home, path_below(arena, config, "git/config"), NULL, named);
	gitnamed_file(arena, home, path_below(arena, home, ".gitconfig"), NULL, named);
}

void gitnamed_known(struct arena *arena, const char *text, size_t length, struct list *known)
{
	static const char *const kinds[] = { "remote", "branch", "submodule" };
	struct gitconfig config;
	bool any = false;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		any = any || has_word(text, length, kinds[i]);
	if (!any)
		return;
	struct arena *brief = arena_new();
	if (ATTEMPT(gitconfig_parse(brief, text, length, &config)) < 0)
		config.count = config.section_count = 0;
	for (unsigned i = 0; i < config.section_count; i++) {
		const char *name = config.sections[i].name;
		list_add(known, arena, arena_copy(arena, name, strlen(name)), from);
	}
	for (unsigned i = 0; i < config.count; i++) {
		const struct gitconfig_entry *entry = &config.entries[i];
		if (str_ends(entry->name, "remote") || str_ends(entry->name, ".pushdefault"))
			list_add(known, arena, arena_text(arena, "remote.%s", entry->value), from);
	}
	arena_free(brief);
}
