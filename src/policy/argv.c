// Owns the reading of options. Every option is a row of keys.c.
#include "policy/keys.h"

#include <string.h>

#include "base/base.h"

struct argv_reader {
	struct arena *arena;
	enum verb verb;
	struct invocation *invocation;
	struct arguments *arguments;
	char **next;
};

// Explains an option of another program. Suggests the whole option for an abbreviated one.
static int unknown(const struct argv_reader *reader, const char *word)
{
	size_t length = strcspn(word, "=");
	const char *flag = arena_copy(reader->arena, word, length), *near = NULL;
	const char *answer = foreign_answer(FOREIGN_OPTION, reader->verb, word, length);
	if (answer)
		return fail(0, "no option '%s': %s", flag, answer);
	if (str_starts(word, "--"))
		near = key_suggest_flag(reader->verb, flag + 2);
	if (near)
		return fail(0, "unknown option '%.80s', did you mean --%s?", str_shown(flag), near);
	if (str_starts(word, "--") ? key_find_flag(VERB_RUN, word + 2, length - 2)
				   : key_find_letter(VERB_RUN, word[1]))
		return fail(0, "unknown option '%.80s' here; it is an option of sbx run",
			    str_shown(flag));
	return fail(0, "unknown option '%.80s', see --help", str_shown(flag));
}

// Takes --help all, --help=all, -h all.
static int apply_help(struct argv_reader *reader, const char *value)
{
	bool next = !value && *reader->next && str_equal(*reader->next, "all");
	if (value && !str_equal(value, "all"))
		return fail(0, "--help takes no value but 'all'");
	reader->next += next;
	reader->invocation->help = value || next ? HELP_ALL : HELP_SCREEN;
	return 0;
}

static int apply(struct argv_reader *reader, const struct key *key, const char *value)
{
	struct arena *arena = reader->arena;
	if (str_equal(key->flag, "help"))
		return apply_help(reader, value);
	if (key->kind == KEY_SWITCH && value)
		return fail(0, "--%s takes no value", key->flag);
	if (key->kind != KEY_SWITCH && !value)
		value = *reader->next ? *reader->next++ : NULL;
	if (key->kind != KEY_SWITCH &&
	    (!value || (value == reader->next[-1] && str_equal(value, "--"))))
		return fail(0, "--%s needs a value: --%s %s", key->flag, key->flag, key->value);
	if (!key->section) {
		struct origin from = { .file = arena_text(arena, "--%s", key->flag) };
		return value_set(key, reader->invocation, arena, value, from);
	}
	reader->arguments->set[reader->arguments->count++] =
		(struct argument){ .key = key, .value = value };
	return 0;
}

static int read_long(struct argv_reader *reader, const char *word)
{
	size_t length = strcspn(word, "=");
	const char *same = foreign_answer(FOREIGN_SAME, reader->verb, word, length);
	const struct key *key = same ? key_find_flag(reader->verb, same, strlen(same))
				     : key_find_flag(reader->verb, word + 2, length - 2);
	if (!key && !foreign_answer(FOREIGN_OPTION, reader->verb, word, length))
		key = key_begun_flag(reader->verb, word + 2, length - 2);
	if (!key)
		return unknown(reader, word);
	return apply(reader, key, word[length] == '=' ? word + length + 1 : NULL);
}

// Reads -c STRING, -cSTRING, -hc STRING.
static int read_letters(struct argv_reader *reader, const char *word)
{
	for (const char *letter = word + 1; *letter; letter++) {
		const struct key *key = key_find_letter(reader->verb, *letter);
		if (!key)
			return unknown(reader, word);
		if (key->kind == KEY_SWITCH) {
			TRY(apply(reader, key, NULL));
			continue;
		}
		return apply(reader, key, letter[1] ? letter + 1 : NULL);
	}
	return 0;
}

int argv_read(struct arena *arena, enum verb verb, char **argv, struct invocation *invocation,
	      struct arguments *ret_arguments)
{
	size_t words = 0;
	while (argv[words])
		words++;
	ret_arguments->set = arena_take(arena, (words + 1) * sizeof(struct argument));
	ret_arguments->count = 0;
	ret_arguments->all = argv;
	struct argv_reader reader = { arena, verb, invocation, ret_arguments, argv };
	while (*reader.next && (*reader.next)[0] == '-' && (*reader.next)[1]) {
		const char *word = *reader.next++;
		if (str_equal(word, "--"))
			break;
		TRY(word[1] == '-' ? read_long(&reader, word) : read_letters(&reader, word));
	}
	ret_arguments->rest = reader.next;
	return 0;
}
