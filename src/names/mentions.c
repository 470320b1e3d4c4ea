// Owns the search for names of files in texts.
#include "names/trusted.h"

#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/gitconfig.h"

enum { TEXT_BYTES = 65536, HOOKS_MAX = 256 };

static void add_file(struct mentions *mentions, const char *top, const char *word)
{
	struct stat status;
	const struct origin nowhere = { 0 };
	const char *path = path_clean(mentions->arena, path_join(mentions->arena, top, word));
	if (!path_within(path, mentions->path) || str_equal(path, mentions->path) ||
	    strstr(path, "/.git/"))
		return;
	autoclose int fd = sys_openat2(mentions->root, path + strlen(mentions->path) + 1,
				       O_PATH | O_CLOEXEC, RESOLVE_BENEATH);
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) &&
	    !list_has(&mentions->files, path))
		list_add(&mentions->files, mentions->arena, path, nowhere);
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80 || (c && strchr("_.-+@/", c));
}

void mentions_text(struct mentions *mentions, const char *top, const char *text, size_t length)
{
	char word[PATH_MAX];
	for (size_t at = 0, end; at < length; at = end + 1) {
		for (end = at; end < length && is_letter(text[end]);)
			end++;
		if (end > at && text[at] != '-' &&
		    str_put(word, sizeof(word), "%.*s", (int)(end - at), text + at))
			add_file(mentions, top, word);
	}
}

void mentions_file(struct mentions *mentions, const char *top, int directory, const char *name)
{
	static char text[TEXT_BYTES];
	size_t length;
	if (file_read_into(directory, name, FILE_PART | FILE_LINK, text, sizeof(text), &length) > 0)
		mentions_text(mentions, top, text, length);
}

void mentions_hooks(struct mentions *mentions, const char *top, const char *path)
{
	autoclose int fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	entries_some (entry, fd, HOOKS_MAX)
		if (!str_ends(entry->name, ".sample"))
			mentions_file(mentions, top, fd, entry->name);
}

// Whether git runs what such a key says (git-config(1)): `name` is in lower case but for what
// stands between its first and its last dot.
static bool is_command(const char *name)
{
	static const char *const sections[] = {
		"alias.",     "filter.",    "pager.",   "trailer.",     "gpg.", "credential.",
		"mergetool.", "difftool.",  "browser.", "man.",         "tar.", "guitool.",
		"hook.",      "sendemail.", "lfs.",     "gitflow.path."
	};
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
					    ".browser",     ".tunnel",
					    ".authorsprog", ".recentobjectshook" };
	for (size_t i = 0; i < sizeof(sections) / sizeof(*sections); i++)
		if (str_starts(name, sections[i]))
			return true;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (str_ends(name, keys[i]))
			return true;
	return false;
}

void mentions_git(struct mentions *mentions, const char *top, const char *text, size_t length)
{
	struct gitconfig config;
	if (ATTEMPT(gitconfig_parse(mentions->arena, text, length, &config)) < 0)
		return;
	for (unsigned i = 0; i < config.count; i++) {
		const char *value = config.entries[i].value;
		size_t first = strcspn(value, " \t");
		if (!is_command(config.entries[i].name))
			continue;
		value += memchr(value, '/', first) ? 0 : first;
		mentions_text(mentions, top, value, strlen(value));
	}
}
