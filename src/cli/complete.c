// sbx complete: prints words that could be at a shell's cursor. The shells' files in completions/
// call it.
//
// Each line of the answer is a word, a tab and its meaning. ":files" asks the shell for names of
// files. sbx starts no program, and reads no file of the project.
#include "cli/verbs.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "cli/boxes.h"
#include "run/run_command.h"
#include "policy/keys.h"
#include "seccomp/syscalls.h"

enum { OFFERS_MAX = 4000, HELP_MAX = 64, NAME_LENGTH_MAX = 80, LIST_BYTES_MAX = 1 << 20 };

struct completion {
	struct arena *arena;
	struct out out;
	const char *before,
		*begun; // parts of the last word; `begun` is completed
	verb_function *const *verbs;
	unsigned verb; // index in verb_rows
	unsigned offers;
};

static int help_length(const char *help)
{
	size_t length = strcspn(help, ";\n\t");
	const char *sentence = strstr(help, ". ");
	if (sentence && (size_t)(sentence - help) < length)
		length = (size_t)(sentence - help);
	if (length <= HELP_MAX)
		return (int)length;
	for (length = HELP_MAX; length > 0 && help[length] != ' ';)
		length--;
	return (int)length;
}

static void offer(struct completion *on, const char *word, const char *help)
{
	if (!str_starts(word, on->begun) || on->offers >= OFFERS_MAX)
		return;
	on->offers++;
	out_text(&on->out, "%s%s\t%.*s\n", on->before, word, help ? help_length(help) : 0,
		 help ? help : "");
}

// Accepts letters, digits and _ . / @ + : , -, which are no syntax of any shell. '-' may not be
// first.
static bool is_plain(const char *name, size_t length)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
				    "_./@+:,-";
	return length > 0 && length <= NAME_LENGTH_MAX && name[0] != '-' &&
	       strspn(name, plain) >= length;
}

static void files(struct completion *on)
{
	if (on->offers == 0)
		out_text(&on->out, ":files\n");
}

// Returns the stdout of `sbx WORDS`.
static const char *printed(struct completion *on, const char *words)
{
	char *copy = arena_copy(on->arena, words, strlen(words)), *argv[4] = { NULL };
	const char *text = "";
	size_t length;
	unsigned count = 0, row = 0;
	for (char *word = strtok(copy, " "); word && count < 3; word = strtok(NULL, " "))
		argv[count++] = word;
	while (row < VERB_ROWS && !str_equal(verb_rows[row].name, argv[0]))
		row++;
	autoclose int file = fd_memory("sbx", MEMORY_PLAIN);
	autoclose int before = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
	if (row == VERB_ROWS || file < 0 || before < 0 || dup2(file, STDOUT_FILENO) < 0)
		return text;
	on->verbs[row](argv + 1);
	dup2(before, STDOUT_FILENO);
	struct stat status;
	if (fstat(file, &status) < 0 || lseek(file, 0, SEEK_SET) < 0 ||
	    file_read_open(file, &status, LIST_BYTES_MAX, on->arena, &text, &length) < 0)
		return "";
	return text;
}

// Offers live runs. ":runs": only if `sbx allow` can change the network; ":all": also ended ones.
static void offer_runs(struct completion *on, const char *which)
{
	struct boxes boxes;
	if (boxes_list(on->arena, str_equal(which, ":all") ? BOXES_ALL : BOXES_LIVE, &boxes) < 0)
		return;
	for (const struct live_box *box = boxes.all; box < boxes.all + boxes.count; box++)
		if (!str_equal(which, ":runs") || box->entry.network == RECORD_PROXY)
			offer(on, box->id, box->entry.command);
}

// Splits `text` at `ends`. Offers each part's first word, with the rest as its meaning. Leaves out
// names with characters of a shell's syntax.
static void offer_parts(struct completion *on, const char *text, const char *ends)
{
	for (const char *at = text + strspn(text, ends); *at; at += strspn(at, ends)) {
		size_t length = strcspn(at, ends), name = strcspn(at, " \n");
		const char *part = arena_copy(on->arena, at, length);
		if (is_plain(part, name))
			offer(on, arena_copy(on->arena, part, name),
			      part + name + strspn(part + name, " "));
		at += length;
	}
}

static void offer_list(struct completion *on, const char *words)
{
	if (str_equal(words, ":files"))
		files(on);
	else if (words[0] == ':')
		offer_runs(on, words);
	else
		offer_parts(on, printed(on, words), "\n");
}

static void offer_value(struct completion *on, const struct key *key)
{
	static const struct {
		enum key_form form;
		const char *list;
	} lists[] = {
		{ FORM_PROFILE, "profile list" },
		{ FORM_SESSION, "session list" },
		{ FORM_DESTINATION, "profile groups" },
		{ FORM_RULE, "profile groups" },
		{ FORM_PATH, ":files" },
		{ FORM_TMPFS, ":files" },
		{ FORM_HIDDEN, ":files" },
		{ FORM_PATTERN, ":files" },
	};
	const char *comma = key->kind == KEY_LIST ? strrchr(on->begun, ',') : NULL;
	if (comma && (key->form == FORM_PROFILE || key->form == FORM_RULE)) {
		size_t length = (size_t)(comma + 1 - on->begun);
		on->before = arena_text(on->arena, "%s%.*s", on->before, (int)length, on->begun);
		on->begun += length;
	}
	for (unsigned i = 0; key->words && key->words[i]; i++)
		offer(on, key->words[i], NULL);
	bool groups = str_equal(key->flag, "allow-syscalls");
	for (unsigned i = GROUP_FIRST_OPTIONAL; groups && i < syscall_group_count; i++)
		offer(on, syscall_groups[i].name, syscall_groups[i].why);
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		if (lists[i].form == key->form)
			offer_list(on, lists[i].list);
	if (!key->words && key->kind == KEY_TEXT && key->form == FORM_TEXT)
		files(on);
	if (key->form == FORM_PROFILE && strchr(on->begun, '/'))
		files(on);
}

static void offer_options(struct completion *on)
{
	for (const struct key *key = keys; key < keys + key_count; key++) {
		if (!key->flag || !(key->verbs & 1U << on->verb))
			continue;
		if (key->letter && !on->begun[1])
			offer(on, arena_text(on->arena, "-%c", key->letter), key->help);
		offer(on, arena_text(on->arena, "--%s", key->flag), key->help);
	}
}

static void offer_programs(struct completion *on)
{
	struct dirent *entry;
	const char *path = strchr(on->begun, '/') ? NULL : getenv("PATH");
	char place[PATH_MAX];
	while (path_list_next(&path, place)) {
		DIR *directory = opendir(place);
		while (directory && (entry = readdir(directory)))
			if (str_starts(entry->d_name, on->begun) && entry->d_name[0] != '.' &&
			    is_plain(entry->d_name, strlen(entry->d_name)) &&
			    faccessat(dirfd(directory), entry->d_name, X_OK, 0) == 0)
				offer(on, entry->d_name, NULL);
		if (directory)
			closedir(directory);
	}
	files(on);
}

static const struct {
	const char *verb, *actions, *list; // actions NULL: none
} named[] = {
	{ "session", "show snapshot log restore fork diff apply discard pause resume rm",
	  "session list" },
	{ "profile", "show", "profile list" },
	{ "profile", "check", ":files" },
	{ "profile", "add", "profile keys" },
	{ "quarantine", "show restore rm", "quarantine list" },
	{ "agent", "install remove status", "agent list" },
	{ "cache", "clear", "cache list" },
	{ "allow", NULL, ":runs" },
	{ "deny", NULL, ":runs" },
	{ "publish", NULL, ":runs" },
	{ "audit", NULL, ":live" },
	{ "stop", NULL, ":live" },
	{ "kill", NULL, ":live" },
	{ "wait", NULL, ":all" },
	{ "logs", NULL, ":all" },
	{ "exec", NULL, ":live" },
	{ "attach", NULL, ":live" },
	{ "code", NULL, ":files" },
	{ "backend", NULL, "backend" },
	{ "why", NULL, ":files" },
};

// `count` is the number of words before the last one, without options.
static void offer_names(struct completion *on, char **given, unsigned count)
{
	const struct verb_row *row = &verb_rows[on->verb];
	if (row->actions && count == 0) {
		offer_parts(on, row->actions, " ");
		return;
	}
	for (size_t i = 0; i < sizeof(named) / sizeof(*named); i++)
		if (str_equal(named[i].verb, row->name) && count == (named[i].actions ? 1 : 0) &&
		    (!named[i].actions ||
		     str_has_word(named[i].actions, given[0], strlen(given[0]))))
			offer_list(on, named[i].list);
	if (count == 1 && (str_equal(row->name, "allow") || str_equal(row->name, "deny")))
		offer_list(on, "profile groups");
	if (count > 0)
		files(on);
}

// Returns the key of the option that takes the next word as its value, or NULL.
static const struct key *wants_value(const struct completion *on, const char *word)
{
	const struct key *key = NULL;
	enum verb verb = 1U << on->verb;
	if (str_starts(word, "--") && !strchr(word, '='))
		key = key_find_flag(verb, word + 2, strlen(word + 2));
	else if (word[0] == '-' && word[1] && word[1] != '-' && !word[2])
		key = key_find_letter(verb, word[1]);
	return key && key->kind != KEY_SWITCH ? key : NULL;
}

static void offer_after_verb(struct completion *on, char **words, char **last)
{
	enum { GIVEN_MAX = 2 };
	char *given[GIVEN_MAX];
	unsigned count = 0;
	const struct key *key;
	bool command = 1U << on->verb & (VERB_RUN | VERB_PLAN | VERB_LEARN), literal = false;
	for (; words < last; words++) {
		const char *word = *words;
		literal = literal || str_equal(word, "--");
		if (command && (literal || word[0] != '-')) {
			(words + (str_equal(word, "--") ? 1 : 0) == last ? offer_programs
									 : files)(on);
			return;
		}
		key = literal ? NULL : wants_value(on, word);
		if (key && words + 1 == last) {
			offer_value(on, key);
			return;
		}
		if (key)
			words++;
		else if (word[0] != '-' && count < GIVEN_MAX)
			given[count++] = *words;
	}
	const char *equals = strchr(on->begun, '=');
	if (!literal && str_starts(on->begun, "--") && equals) {
		on->before = arena_text(on->arena, "%.*s=", (int)(equals - on->begun), on->begun);
		key = key_find_flag(1U << on->verb, on->begun + 2,
				    (size_t)(equals - on->begun - 2));
		on->begun = equals + 1;
		if (key)
			offer_value(on, key);
	} else if (!literal && on->begun[0] == '-') {
		offer_options(on);
	} else if (command ||
		   (1U << on->verb == VERB_MCP && count && str_equal(given[0], "wrap"))) {
		offer_programs(on);
	} else {
		offer_names(on, given, count);
	}
}

int complete_shell(char **words)
{
	struct out out = { 0 };
	for (unsigned i = 0; words[0] && !words[1] && i < shell_file_count; i++)
		if (str_equal(shell_files[i].name, words[0])) {
			out_text(&out, "%s", shell_files[i].text);
			return box_done(&out, 0);
		}
	fail(0, "usage: sbx completion bash|zsh|fish");
	return box_failed();
}

int complete_words(char **words, verb_function *const *verbs)
{
	struct completion on = { .arena = arena_new(), .before = "", .verbs = verbs };
	size_t count = 0;
	while (words[count])
		count++;
	if (count == 0)
		return STATUS_FAILURE;
	char **last = words + count - 1;
	on.begun = *last;
	bool first = last == words, help = !first && str_equal(words[0], "help");
	for (unsigned i = 0; (first || (help && last == words + 1)) && i < VERB_ROWS; i++)
		offer(&on, verb_rows[i].name, verb_rows[i].help);
	if (first) {
		offer(&on, "help", "print help");
		offer(&on, "version", "print the version");
		offer(&on, "completion", "print the completions of a shell");
		offer(&on, "--help", "print help");
		offer(&on, "--version", "print the version");
	} else if (last == words + 1 && str_equal(words[0], "version")) {
		offer(&on, "--json", "as JSON");
	} else if (last == words + 1 && str_equal(words[0], "completion")) {
		for (unsigned i = 0; i < shell_file_count; i++)
			offer(&on, shell_files[i].name, NULL);
	}
	for (unsigned i = 0; !first && i < VERB_ROWS; i++)
		if (str_equal(verb_rows[i].name, words[0])) {
			on.verb = i;
			offer_after_verb(&on, words + 1, last);
		}
	return box_done(&on.out, 0);
}
