// Owns the search for names of files in texts.
#include "names/names.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "apart/apart.h"
#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "git/git.h"
#include "git/gitconfig.h"

enum { TEXT_BYTES = 65536, HOOKS_MAX = 256 };
enum { STANDS, MAY_COME };
#define ANSWER_BYTES ((size_t)64 << 20)

static void add_files(struct mentions *mentions, const struct rows *rows)
{
	struct stat status;
	const struct origin nowhere = { 0 };
	rows_each (row, rows) {
		const char *path = path_below(mentions->arena, mentions->path, row->text);
		autoclose int fd =
			sys_openat2(mentions->root, row->text, O_PATH | O_CLOEXEC, RESOLVE_BENEATH);
		bool named = fd >= 0 ? fstat(fd, &status) == 0 && S_ISREG(status.st_mode)
				     : row->number == MAY_COME && errno == ENOENT;
		if (named && !list_has(&mentions->files, path))
			list_add(&mentions->files, mentions->arena, path, nowhere);
	}
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (unsigned char)c >= 0x80 || (c && strchr("_.-+@/", c));
}

// A question to the reader process. Relative words of `text` are looked up in `top`.
struct mentioning {
	struct apart_text *question;
	const char *tree, *top, *home, *text;
	size_t length;
};

static struct mentioning begin(struct apart_text *question)
{
	struct mentioning all = { .question = question, .tree = question->text };
	all.top = all.tree + strlen(all.tree) + 1;
	all.home = all.top + strlen(all.top) + 1;
	all.text = all.home + strlen(all.home) + 1;
	all.length = question->length - (size_t)(all.text - question->text);
	return all;
}

// Returns the length of a prefix that means the home to shells or git, or 0.
static size_t home_form(const char *text, size_t length)
{
	static const char *const forms[] = { "~", "$HOME", "${HOME}", "$HOME\"", "${HOME}\"" };
	for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
		size_t size = strlen(forms[i]);
		if (size < length && memcmp(text, forms[i], size) == 0 && text[size] == '/')
			return size;
	}
	return 0;
}

// Git writes these at any command.
static bool is_gits(const char *path)
{
	static const char own[] =
		"*HEAD *MSG *MODE *_RR *_START *_LOG AUTO_MERGE index packed-refs "
		"shallow description gc.*";
	const char *git = strstr(path, "/.git/");
	const struct layout_row *row = git ? layout_find(git + strlen("/.git/")) : NULL;
	return (row && row->kind != LAYOUT_NESTED) || (git && str_match_any(path_name(path), own));
}

static void answer(const struct mentioning *all, const char *text, size_t length, unsigned command)
{
	char word[PATH_MAX];
	struct arena *arena = all->question->arena;
	for (size_t at = 0, end; at < length; at = end + 1) {
		size_t home = home_form(text + at, length - at);
		at += home;
		for (end = at; end < length && is_letter(text[end]);)
			end++;
		if (end == at || text[at] == '-' ||
		    !str_put(word, sizeof(word), "%s%.*s", home > 0 ? all->home : "",
			     (int)(end - at), text + at))
			continue;
		const char *path = path_clean(arena, path_join(arena, all->top, word));
		if (path_within(path, all->tree) && !str_equal(path, all->tree) && !is_gits(path) &&
		    strlen(path) - strlen(all->tree) < PATH_MAX)
			row_put(all->question->answer, ROW_MENTION,
				strchr(word, '/') ? command : STANDS, path + strlen(all->tree) + 1,
				strlen(path) - strlen(all->tree) - 1);
	}
}

static void read_words(struct apart_text *question)
{
	const struct mentioning all = begin(question);
	answer(&all, all.text, all.length, STANDS);
}

// `brief` is an arena for one question: later reader processes would inherit its text.
static struct apart_text ask_of(struct arena *brief, const char *tree, const char *top,
				const char *home, const char *text, size_t length)
{
	const char *const words[] = { tree, top, home };
	size_t used = 0;
	char *whole = arena_take(brief, strlen(tree) + strlen(top) + strlen(home) + 3 + length);
	for (size_t i = 0; i < 3; i++) {
		memcpy(whole + used, words[i], strlen(words[i]) + 1);
		used += strlen(words[i]) + 1;
	}
	memcpy(whole + used, text, length);
	return (struct apart_text){ .text = whole, .length = used + length };
}

static void ask(struct mentions *mentions, void (*read)(struct apart_text *question),
		const char *top, const char *text, size_t length)
{
	struct rows rows;
	struct arena *brief = arena_new_of(ANSWER_BYTES);
	const struct apart_text question = ask_of(
		brief, mentions->path, top, mentions->home ? mentions->home : "", text, length);
	if (ATTEMPT(apart_ask(mentions->whose, read, &question, ROW_BIT(ROW_MENTION), brief,
			      &rows)) == 0)
		add_files(mentions, &rows);
	arena_free(brief);
}

void mentions_text(struct mentions *mentions, const char *top, const char *text, size_t length)
{
	ask(mentions, read_words, top, text, length);
}

void mentions_file(struct mentions *mentions, const char *top, int directory, const char *name)
{
	static char text[TEXT_BYTES];
	size_t length;
	if (file_read_into(directory, name, FILE_PART | FILE_LINK, text, sizeof(text), &length) > 0)
		mentions_text(mentions, top, text, length);
	explicit_bzero(text, sizeof(text)); // .envrc may have a token
}

void mentions_hooks(struct mentions *mentions, const char *top, const char *path)
{
	autoclose int fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	entries_some (entry, fd, HOOKS_MAX)
		if (!str_ends(entry->name, ".sample"))
			mentions_file(mentions, top, fd, entry->name);
}

// Sections whose settings git runs, and keys of any section that it runs (git-config(1)).
// clang-format off
static const char *const sections[] = {
	"alias", "filter", "pager", "trailer", "gpg", "credential", "mergetool", "difftool", "browser",
	"man", "tar", "guitool", "hook", "sendemail", "lfs", NULL,
};
static const char *const keys[] = {
	"fsmonitor", "sshcommand", "editor", "pager", "askpass", "gitproxy", "helper", "command",
	"textconv", "driver", "external", "program", "difffilter", "vcs", "update", "uploadpack",
	"receivepack", "packobjectshook", "templatedir", "alternaterefscommand", "browser", "tunnel",
	"authorsprog", "recentobjectshook", "hooks", /* gitflow.path.hooks */ NULL,
};
// clang-format on

static bool is_one(const char *const *names, const char *word, size_t length)
{
	for (; *names; names++)
		if (**names == (word[0] | ' ') && strncasecmp(*names, word, length) == 0 &&
		    !(*names)[length])
			return true;
	return false;
}

static bool is_of_name(char c)
{
	return isalnum((unsigned char)c) || c == '-';
}

// True if a word of the text is in `sections` or `keys`.
static bool may_command(const char *text, size_t length)
{
	for (size_t at = 0, size; at < length; at += size + 1) {
		for (size = 0; at + size < length && is_of_name(text[at + size]);)
			size++;
		if (is_one(sections, text + at, size) || is_one(keys, text + at, size))
			return true;
	}
	return false;
}

static bool is_command(const char *name)
{
	const char *key = strrchr(name, '.') + 1;
	return is_one(sections, name, strcspn(name, ".")) || is_one(keys, key, strlen(key));
}

static void read_commands(struct apart_text *question)
{
	struct gitconfig config;
	const struct mentioning all = begin(question);
	if (ATTEMPT(gitconfig_parse(question->arena, all.text, all.length, &config)) < 0)
		return;
	for (unsigned i = 0; i < config.count; i++) {
		const char *value = config.entries[i].value;
		size_t first = strcspn(value, " \t");
		if (!is_command(config.entries[i].name))
			continue;
		value += memchr(value, '/', first) ? 0 : first;
		// A URL may hold a password: counts it only as a path of an existing file.
		bool address = strchr(value, '@') || strstr(value, "://");
		answer(&all, value, strlen(value), address ? STANDS : MAY_COME);
	}
}

int mentions_git_ahead(struct arena *arena, const char *tree, const char *home, const char *text,
		       size_t length)
{
	if (!may_command(text, length))
		return 0;
	const struct apart_text question = ask_of(arena, tree, tree, home, text, length);
	return apart_ahead(read_commands, &question);
}

void mentions_git(struct mentions *mentions, const char *top, const char *text, size_t length)
{
	if (may_command(text, length))
		ask(mentions, read_commands, top, text, length);
}
