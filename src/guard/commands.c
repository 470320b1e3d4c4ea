// Owns the table of such settings, and the search for names of files in their text.
#include "guard/commands.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/file.h"
#include "base/gitconfig.h"
#include "base/path.h"
#include "base/str.h"
#include "base/sys.h"
#include "guard/changed.h"
#include "guard/vet.h"

enum { TEXT_MOST = 16384, WORDS_MOST = 256, FILES_MOST = 32, TOLD_MOST = 8 };

static const char *const settings[] = {
	".envrc",
	"mise.toml",
	".mise.toml",
	".gdbinit",
	".lldbinit",
	".mcp.json",
	".cursor/mcp.json",
	".cursor/hooks.json",
	".vscode/mcp.json",
	".vscode/tasks.json",
	".claude/settings.json",
	".claude/settings.local.json",
	".codex/config.toml",
	".gemini/settings.json",
	".qwen/settings.json",
	"opencode.json",
	".devcontainer/devcontainer.json",
};

struct search {
	const struct check *check;
	int root;              // the project
	unsigned words, files; // that were looked at
	bool of_path;          // the line speaks of a list of directories of programs
	ino_t told[TOLD_MOST];
	unsigned count;
};

static bool is_told(const struct search *search, ino_t inode)
{
	for (unsigned i = 0; i < search->count; i++)
		if (search->told[i] == inode)
			return true;
	return false;
}

// Looked up beneath the project, and no link is followed. A directory counts where programs are
// looked for in it.
static void look_at(struct search *search, const char *name)
{
	struct stat status;
	char path[PATH_MAX];
	autoclose int fd = sys_openat2(search->root, name, O_PATH | O_NOFOLLOW | O_CLOEXEC,
				       RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS);
	if (fd < 0 || fstat(fd, &status) < 0 || is_told(search, status.st_ino) ||
	    search->count == TOLD_MOST ||
	    snprintf(path, sizeof(path), "%s/%s", search->check->plan->project, name) >=
		    (int)sizeof(path))
		return;
	bool directory =
		S_ISDIR(status.st_mode) && search->of_path && changed_has(search->check, fd, ".");
	if (!directory && !(S_ISREG(status.st_mode) && vet_is_changed(search->check, fd, "")))
		return;
	search->told[search->count++] = status.st_ino;
	changed_add(search->check, path);
}

static bool is_of_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_.-+@/", c));
}

// "./tools/x", "$ROOT/tools/x" and "${ROOT}/tools/x", and the whole path, are tools/x.
static void look_at_word(struct search *search, char *word, bool variable)
{
	const char *project = search->check->plan->project, *name = word;
	if (variable && strchr(name, '/'))
		name = strchr(name, '/');
	if (path_within(name, project))
		name += strlen(project);
	while (name[0] == '/' || str_starts(name, "./"))
		name++;
	search->of_path = search->of_path || strcasestr(word, "path");
	if ((strpbrk(name, "./") || search->of_path) && search->words++ < WORDS_MOST)
		look_at(search, name);
}

// `text` is changed, and has room for one byte behind it.
static void read_text(struct search *search, char *text, size_t length)
{
	char before = '\0';
	for (size_t at = 0, end; at < length; at = end + 1) {
		for (end = at; end < length && is_of_word(text[end]); end++)
			;
		char after = text[end];
		text[end] = '\0';
		if (end - at > 2)
			look_at_word(search, text + at, before == '$');
		before = after;
		search->of_path = search->of_path && after != '\n';
	}
	search->of_path = false;
}

static void read_file(struct search *search, int directory, const char *name)
{
	char text[TEXT_MOST] __attribute__((uninitialized));
	size_t length;
	if (search->files >= FILES_MOST || file_read_into(directory, name, FILE_BENEATH | FILE_PART,
							  text, sizeof(text), &length) <= 0)
		return;
	search->files++;
	read_text(search, text, length);
}

// Whether git runs what such a key says (git-config(1)): `name` is in lower case but for what
// stands between its first and its last dot.
static bool is_command(const char *name)
{
	static const char *const sections[] = { "alias.",     "filter.",   "pager.",
						"trailer.",   "gpg.",      "credential.",
						"mergetool.", "difftool.", "browser.",
						"man.",       "tar.",      "guitool.",
						"hook.",      "sendemail." };
	static const char *const keys[] = { ".fsmonitor",   ".sshcommand",
					    ".editor",      ".pager",
					    ".askpass",     ".gitproxy",
					    ".helper",      ".command",
					    ".textconv",    ".driver",
					    ".external",    ".program",
					    ".difffilter",  ".vcs",
					    ".update",      ".uploadpack",
					    ".receivepack", ".packobjectshook",
					    ".templatedir", ".alternaterefscommand",
					    ".browser" };
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (str_starts(name, sections[i]))
			return true;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (str_ends(name, keys[i]))
			return true;
	return false;
}

// Nearly none has such a key: then nothing needs to be taken apart.
static bool may_command(const char *text)
{
	static const char *const words[] = { "alias",       "filter",     "pager",   "trailer",
					     "gpg",         "credential", "tool",    "browser",
					     "fsmonitor",   "command",    "helper",  "textconv",
					     "driver",      "external",   "program", "editor",
					     "askpass",     "gitproxy",   "vcs",     "uploadpack",
					     "receivepack", "template",   "hook",    "sendemail",
					     "[man",        "[tar",       "!" };
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(text, words[i]))
			return true;
	return false;
}

// Git's configuration as it was at the start: what the box changes there is withheld.
static void read_copy(struct search *search, struct arena *arena, const struct copy *copy)
{
	struct gitconfig config;
	char value[PATH_MAX];
	if (gitconfig_parse(arena, copy->text, copy->length, &config) < 0)
		return;
	for (unsigned i = 0; i < config.count; i++) {
		int length = snprintf(value, sizeof(value), "%s", config.entries[i].value);
		if (is_command(config.entries[i].name) && length < (int)sizeof(value) - 1)
			read_text(search, value, (size_t)length);
	}
}

static void read_copies(struct search *search)
{
	const struct plan *plan = search->check->plan;
	for (unsigned i = 0; i < plan->copy_count; i++) {
		if (!may_command(plan->copies[i].text))
			continue;
		struct arena *arena = arena_new();
		read_copy(search, arena, &plan->copies[i]);
		arena_free(arena);
	}
	err_clear();
}

// Most hold samples alone: without the memory that a stream takes.
static void read_hooks(struct search *search, const char *path)
{
	_Alignas(struct sys_entry) char entries[2048] __attribute__((uninitialized));
	autoclose int fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	long size;
	while (fd >= 0 && search->files < FILES_MOST &&
	       (size = sys_getdents(fd, entries, sizeof(entries))) > 0)
		for (long at = 0; at < size;) {
			const struct sys_entry *entry = (const void *)(entries + at);
			at += entry->size;
			if ((entry->type == DT_REG || entry->type == DT_UNKNOWN) &&
			    !str_ends(entry->name, ".sample"))
				read_file(search, fd, entry->name);
		}
}

// Only settings that the box could not write: what stands there is the user's own.
static void read_wall(struct search *search, const struct mount *wall)
{
	const char *project = search->check->plan->project, *name = path_name(wall->target);
	if (wall->identity.type == S_IFDIR &&
	    (str_ends(name, "hooks") || str_equal(name, ".husky"))) {
		read_hooks(search, wall->target);
		return;
	}
	size_t length = strlen(name);
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++)
		if (strncmp(settings[i], name, length) == 0 &&
		    (settings[i][length] == '\0' || settings[i][length] == '/') &&
		    strlen(wall->target) == strlen(project) + 1 + length &&
		    path_within(wall->target, project))
			read_file(search, search->root, settings[i]);
}

void commands_tell(const struct check *check)
{
	const struct plan *plan = check->plan;
	struct search search = { .check = check, .root = -1 };
	if (!plan->project || plan->guard_count == 0)
		return;
	autoclose int root = sys_openat2(AT_FDCWD, plan->project, O_PATH | O_DIRECTORY | O_CLOEXEC,
					 RESOLVE_NO_SYMLINKS);
	search.root = root;
	for (unsigned i = 0; i < plan->mount_count && root >= 0; i++)
		if (plan->mounts[i].kind == MOUNT_BIND && plan->mounts[i].access == ACCESS_READ &&
		    plan->mounts[i].on_host &&
		    str_equal(plan->mounts[i].from.file ? plan->mounts[i].from.file : "",
			      "protect"))
			read_wall(&search, &plan->mounts[i]);
	if (root >= 0)
		read_copies(&search);
}
