// Owns the search for names of files in texts.
#include "names/trusted.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/gitconfig.h"

enum { LISTING_BITS = 4096, LISTING_ENTRIES = 2048 };

struct word {
	const char *name;
	bool file; // it may be one: else it only may be a directory in which others lie
	bool list; // of directories of programs
};

// A directory from which words are looked up. Most words are in none: one listing says so.
struct base {
	struct base *next;
	const char *path;
	uint64_t bits[LISTING_BITS / 64]; // one for each name that is there
};

static void set_bit(struct base *base, const char *name)
{
	uint64_t bit = str_hash(name) % LISTING_BITS;
	base->bits[bit / 64] |= 1ULL << bit % 64;
}

static const char *relative(const struct mentions *mentions, const char *path)
{
	return path + strlen(mentions->path) + 1;
}

static const struct base *list_base(struct mentions *mentions, const char *path)
{
	unsigned count = 0;
	const char *below = str_equal(path, mentions->path) ? "." : relative(mentions, path);
	for (struct base *known = mentions->listed; known; known = known->next)
		if (str_equal(known->path, path))
			return known;
	struct base *base = arena_take(mentions->arena, sizeof(*base));
	autoclose int fd = sys_openat2(mentions->root, below, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_BENEATH);
	*base = (struct base){ .next = mentions->listed, .path = path };
	mentions->listed = base;
	entries_some (entry, fd, LISTING_ENTRIES + 1) {
		set_bit(base, entry->name);
		count++;
	}
	if (count > LISTING_ENTRIES)
		memset(base->bits, 0xff, sizeof(base->bits));
	return base;
}

static bool lacks(const struct base *base, const char *path)
{
	char first[NAME_MAX + 1];
	if (!path_within(path, base->path))
		return false;
	path += strlen(base->path) + 1;
	size_t length = strcspn(path, "/");
	if (length > NAME_MAX)
		return true;
	memcpy(first, path, length);
	first[length] = '\0';
	uint64_t bit = str_hash(first) % LISTING_BITS;
	return !(base->bits[bit / 64] & 1ULL << bit % 64);
}

// Git's own files are the business of postcheck/git.
static bool counts(const struct mentions *mentions, const char *path)
{
	return path_within(path, mentions->path) && !str_equal(path, mentions->path) &&
	       !strstr(path, "/.git/");
}

// What a word means from there: 0, S_IFREG or S_IFDIR. Where `comes` says so, a path that is not
// there may become a file.
static mode_t look_up(const struct mentions *mentions, const struct base *base, const char *name,
		      bool comes, const char **ret_path)
{
	struct stat status;
	bool whole = name[0] == '/' && path_within(name, mentions->path);
	const char *rest = name + strspn(name, "/");
	const char *path = *ret_path = path_clean(
		mentions->arena, whole ? name : path_below(mentions->arena, base->path, rest));
	if (!rest[0] || !counts(mentions, path))
		return 0;
	if (lacks(base, path))
		return comes && name[0] != '/' && strchr(name, '/') ? S_IFREG : 0;
	autoclose int fd = sys_openat2(mentions->root, relative(mentions, path), O_PATH | O_CLOEXEC,
				       RESOLVE_BENEATH);
	comes = comes && errno == ENOENT && strchr(name, '/');
	if (fd < 0)
		return comes || errno == EXDEV || errno == ELOOP ? S_IFREG : 0;
	return fstat(fd, &status) < 0 ? 0 : status.st_mode & S_IFMT;
}

static bool has(const char *const *list, unsigned count, const char *text)
{
	while (count > 0)
		if (str_equal(list[--count], text))
			return true;
	return false;
}

// Names from one base; directories that are named are added to `places`.
static unsigned find_from(struct mentions *mentions, const char *from, const struct word *words,
			  unsigned count, const char **places, unsigned place_count)
{
	const struct base *base = list_base(mentions, from);
	const char *path;
	for (unsigned i = 0; i < count; i++) {
		mode_t type = look_up(mentions, base, words[i].name, places, &path);
		if (type == S_IFREG && words[i].file)
			mentions->found(mentions, path, false);
		if (type != S_IFDIR || !places)
			continue;
		if (words[i].list)
			mentions->found(mentions, path, true);
		if (!has(places, place_count, path))
			places[place_count++] = path;
	}
	return place_count;
}

static void find_words(struct mentions *mentions, const char *top, const char *beside,
		       const struct word *words, unsigned count)
{
	const char **places = arena_take(mentions->arena, (2 * count + 1) * sizeof(*places));
	unsigned place_count = 0;
	if (path_within(top, mentions->path))
		place_count = find_from(mentions, top, words, count, places, 0);
	if (beside && path_within(beside, mentions->path) && !str_equal(beside, top))
		place_count = find_from(mentions, beside, words, count, places, place_count);
	for (unsigned i = 0; i < place_count; i++)
		if (!str_equal(places[i], top) && (!beside || !str_equal(places[i], beside)))
			find_from(mentions, places[i], words, count, NULL, 0);
}

// Bytes of UTF-8 are letters.
static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80 || (c && strchr("_.-+@/", c));
}

static void add_word(struct mentions *mentions, struct word *words, unsigned *count,
		     const struct word *word)
{
	bool known = false;
	for (unsigned i = 0; i < *count && !known; i++)
		if (str_equal(words[i].name, word->name)) {
			words[i].file = words[i].file || word->file;
			words[i].list = words[i].list || word->list;
			known = true;
		}
	if (known || word->name[0] == '-' || strlen(word->name) >= PATH_MAX)
		return;
	mentions->cut = mentions->cut || *count == MENTIONS_MAX;
	if (*count < MENTIONS_MAX)
		words[(*count)++] = *word;
}

void mentions_text(struct mentions *mentions, const char *top, const char *beside, char *text,
		   size_t length, enum mentions_how how)
{
	struct word words[MENTIONS_MAX];
	unsigned count = 0;
	bool first = true, path = how == MENTIONS_LIST;
	char before = '\0';
	for (size_t at = 0, end; at < length; at = end + 1) {
		for (end = at; end < length && is_letter(text[end]);)
			end++;
		char after = end < length ? text[end] : '\0';
		text[end] = '\0';
		// "/x" of "$ROOT/x"
		const char *name = before == '$' ? strchrnul(text + at, '/') : text + at;
		struct word word = { name, how == MENTIONS_ANY || strpbrk(name, "./"),
				     path || (after == '*' && str_ends(name, "/")) };
		bool program = first && how == MENTIONS_COMMAND && !strchr(name, '/');
		bool elsewhere = how >= MENTIONS_VARIABLE &&
				 ((name[0] == '/' && !path_within(name, mentions->path)) ||
				  !(word.file || word.list));
		if (name[0] && !program && !elsewhere)
			add_word(mentions, words, &count, &word);
		first = first && end == at;
		path = path || strcasestr(text + at, "path");
		if (after == '\n')
			path = how == MENTIONS_LIST;
		before = after;
	}
	if (count > 0)
		find_words(mentions, top, beside, words, count);
}

// Prose, and what editors note of open files.
static bool is_no_setting(const char *name)
{
	return str_ends(name, ".md") || str_ends(name, ".mdc") || str_ends(name, ".sample") ||
	       str_ends(name, ".sublime-workspace") || str_equal(name, "workspace.xml");
}

static void read_file(struct mentions *mentions, const char *top, const char *path, int directory)
{
	static char text[MENTIONS_BYTES_MAX];
	size_t length;
	if (is_no_setting(path_name(path)))
		return;
	if (mentions->files == MENTIONS_FILES_MAX) {
		mentions->cut =
			mentions->cut || faccessat(directory, path_name(path), F_OK, 0) == 0;
		return;
	}
	if (file_read_into(directory, path_name(path), FILE_PART, text, sizeof(text), &length) <= 0)
		return;
	mentions->files++;
	mentions->cut = mentions->cut || length == sizeof(text) - 1;
	mentions_text(mentions, top, path_parent(mentions->arena, path), text, length,
		      MENTIONS_SETTINGS);
}

static void read_directory(struct mentions *mentions, const char *top, const char *path, int fd,
			   bool deeper)
{
	entries_each (entry, fd) {
		const char *below = path_below(mentions->arena, path, entry->name);
		if (entry->type == DT_REG || entry->type == DT_UNKNOWN)
			read_file(mentions, top, below, fd);
		if (entry->type != DT_DIR || !deeper)
			continue;
		autoclose int into =
			openat(fd, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		read_directory(mentions, top, below, into, false);
	}
}

void mentions_settings(struct mentions *mentions, const char *top, const char *path)
{
	autoclose int fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	if (fd >= 0)
		read_directory(mentions, top, path, fd, true);
	else if (errno == ENOTDIR) {
		autoclose int parent =
			sys_openat2(AT_FDCWD, path_parent(mentions->arena, path),
				    O_PATH | O_DIRECTORY | O_CLOEXEC, RESOLVE_NO_SYMLINKS);
		read_file(mentions, top, path, parent);
	}
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

// Which command runs is said by attributes then. Git's own large files are no news.
static bool is_chosen(const char *name)
{
	return (str_starts(name, "filter.") && !str_starts(name, "filter.lfs.")) ||
	       (str_starts(name, "diff.") &&
		(str_ends(name, ".textconv") || str_ends(name, ".command"))) ||
	       (str_starts(name, "merge.") && str_ends(name, ".driver"));
}

void mentions_git(struct mentions *mentions, const char *top, const char *text, size_t length)
{
	struct gitconfig config;
	struct arena *arena = mentions->arena;
	bool chosen = false;
	if (ATTEMPT(gitconfig_parse(arena, text, length, &config)) < 0)
		return;
	for (unsigned i = 0; i < config.count; i++) {
		const char *value = config.entries[i].value;
		size_t size = strlen(value);
		if (!is_command(config.entries[i].name))
			continue;
		mentions_text(mentions, top, NULL, arena_copy(arena, value, size), size,
			      MENTIONS_COMMAND);
		chosen = chosen || is_chosen(config.entries[i].name);
	}
	const char *attributes = gitconfig_value(&config, "core.attributesfile");
	if (attributes && attributes[0] && attributes[0] != '~')
		mentions->found(mentions,
				path_clean(arena, attributes[0] == '/'
							  ? attributes
							  : path_below(arena, top, attributes)),
				false);
	if (chosen)
		mentions->found(mentions, path_below(arena, top, ".gitattributes"), false);
}

// A list of directories from which programs or modules are run: PERL5LIB, LD_LIBRARY_PATH ...
static enum mentions_how how_of(const char *variable)
{
	static const struct {
		const char *end;
		enum mentions_how how;
	} rows[] = {
		{ "PATH", MENTIONS_LIST },
		{ "LIB", MENTIONS_LIST },
		{ "GIT_TEMPLATE_DIR", MENTIONS_LIST },
		{ "BASH_ENV", MENTIONS_ANY },
		{ "PYTHONSTARTUP", MENTIONS_ANY },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (str_ends(variable, rows[i].end))
			return rows[i].how;
	return MENTIONS_VARIABLE;
}

void mentions_environment(struct mentions *mentions, char *const *environment)
{
	for (; *environment; environment++) {
		const char *at = strchr(*environment, '=');
		if (!at || str_starts(*environment, "PATH=") || str_starts(*environment, "npm_p") ||
		    str_starts(*environment, "npm_l"))
			continue;
		const char *name =
			arena_text(mentions->arena, "%.*s", (int)(at - *environment), *environment);
		size_t length = strlen(at + 1);
		mentions_text(mentions, mentions->path, NULL,
			      arena_copy(mentions->arena, at + 1, length), length, how_of(name));
	}
}
