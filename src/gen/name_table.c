// Owns the reading of profiles/names.txt, and the rows and the manual that are made from it.
#include "gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "names/names.h"
#include "text/words.h"

enum { ROWS_MAX = 2048 };

struct name_row {
	enum trusted_answer answer;
	const char *name, *who, *source;
	bool pattern, below;
	unsigned order;
};
static struct name_row rows[ROWS_MAX];
static unsigned row_count;

static const char *const words[TRUSTED_ANSWERS] = { "wall", "tell", "ignore", "place",
						    "home", "path", "whole" };

struct heading {
	bool any, below;
	enum trusted_answer answer;
};

static bool is_home(enum trusted_answer answer)
{
	return answer > TRUSTED_IGNORE;
}

static void add_row(struct heading heading, const char *name, const char *who, const char *source)
{
	enum trusted_answer answer = heading.answer;
	const char *slash = strrchr(name, '/');
	bool home = str_starts(name, "~/") || name[0] == '$';
	if (row_count == ROWS_MAX || home != is_home(answer) || (home && strchr(name, '*')) ||
	    (heading.below && slash))
		gen_stop(name);
	for (unsigned i = 0; i < row_count; i++)
		if (str_equal(rows[i].name, name) && rows[i].answer == answer)
			gen_stop(name);
	rows[row_count] = (struct name_row){ .answer = answer,
					     .name = name,
					     .who = who,
					     .source = source,
					     .pattern = strpbrk(name, "*?") != NULL,
					     .below = heading.below,
					     .order = row_count };
	if (rows[row_count].pattern && slash && memchr(name, '*', (size_t)(slash - name)))
		gen_stop(name);
	row_count++;
}

// Reads "NAME... = WHO | SOURCE".
static void read_line(char *line, struct heading heading)
{
	char *equals = strstr(line, " = "), *bar = strstr(line, " | ");
	if (!heading.any || !equals || !bar || bar < equals || !bar[3])
		gen_stop(line);
	*equals = *bar = '\0';
	char *rest = NULL;
	for (char *name = strtok_r(line, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
		add_row(heading, name, equals + 3, bar + 3);
}

static struct heading heading_of(const char *line)
{
	for (unsigned i = 0; i < TRUSTED_ANSWERS; i++) {
		const char *rest =
			str_starts(line + 1, words[i]) ? line + 1 + strlen(words[i]) : "";
		if (str_equal(rest, "]") || (i == TRUSTED_TELL && str_equal(rest, " below]")))
			return (struct heading){ .any = true,
						 .below = rest[0] == ' ',
						 .answer = (enum trusted_answer)i };
	}
	gen_stop(line);
}

static void read_rows(const char *path)
{
	size_t length;
	struct heading heading = { 0 };
	char *rest = NULL;
	const char *text = gen_read_file(path, &length);
	for (char *line = strtok_r(arena_copy(arena_new(), text, length), "\n", &rest); line;
	     line = strtok_r(NULL, "\n", &rest)) {
		if (line[0] == '[')
			heading = heading_of(line);
		else if (line[0] != '#' && line[0])
			read_line(line, heading);
	}
}

static int by_kind(const void *left, const void *right)
{
	const struct name_row *a = left, *b = right;
	if (a->answer != b->answer)
		return a->answer < b->answer ? -1 : 1;
	if (a->pattern != b->pattern)
		return a->pattern ? 1 : -1;
	return a->order < b->order ? -1 : 1;
}

// Offsets of the strings, each of which is written once.
static const char *written[ROWS_MAX * 2];
static unsigned places[ROWS_MAX * 2], written_count, used;

static unsigned write_text(const char *text)
{
	for (unsigned i = 0; i < written_count; i++)
		if (str_equal(written[i], text))
			return places[i];
	written[written_count] = text;
	places[written_count++] = used;
	printf("\t");
	gen_quote(text, strlen(text));
	printf("\"\\0\"\n");
	used += (unsigned)strlen(text) + 1;
	if (used > 65535)
		gen_stop("too much text");
	return places[written_count - 1];
}

static bool is_wildcard(char c)
{
	return c == '*' || c == '?';
}

static char edge(char c)
{
	return is_wildcard(c) ? '\0' : c >= 'A' && c <= 'Z' ? (char)(c | ' ') : c;
}

static void set_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= 1ULL << (at % 64);
}

// Sets the bits of a pair of characters. A wildcard means each character.
static void set_pairs(uint64_t *bits, char one, char other)
{
	const char pair[] = { one, other };
	unsigned place = trusted_pair(pair);
	for (unsigned i = 0; i < TRUSTED_PAIRS; i++)
		if ((is_wildcard(one) || (place ^ i) >> 6 == 0) &&
		    (is_wildcard(other) || (place ^ i) % 64 == 0))
			set_bit(bits, i);
}

static void write_words(const char *name, const uint64_t *bits, unsigned count)
{
	printf("const uint64_t %s[] = {\n", name);
	for (unsigned i = 0; i < count / 64; i++)
		printf("\t0x%llxULL,\n", (unsigned long long)bits[i]);
	printf("};\n");
}

static void write_bits(void)
{
	static uint64_t bits[TRUSTED_BITS / 64], begins[TRUSTED_PAIRS / 64],
		ends[TRUSTED_PAIRS / 64];
	uint32_t hash;
	for (unsigned i = 0; i < row_count; i++) {
		const char *name = rows[i].name, *end = name + strlen(name);
		if (rows[i].answer > TRUSTED_TELL)
			continue;
		if (rows[i].pattern && !strchr(rows[i].name, '/')) {
			bool from = name[0] == '*';
			if (from && (is_wildcard(end[-1]) || is_wildcard(end[-2])))
				gen_stop(name);
			set_pairs(from ? ends : begins, from ? end[-2] : name[0],
				  from ? end[-1] : name[1]);
			continue;
		}
		if (!component_hash(name, &hash))
			gen_stop(name);
		set_bit(bits, hash % TRUSTED_BITS);
		set_bit(bits, (hash >> 16) % TRUSTED_BITS);
	}
	write_words("trusted_bits", bits, TRUSTED_BITS);
	write_words("trusted_begins_with", begins, TRUSTED_PAIRS);
	write_words("trusted_ends_with", ends, TRUSTED_PAIRS);
}

void gen_names(const char *path)
{
	static unsigned texts[ROWS_MAX][3];
	unsigned first[TRUSTED_ANSWERS + 1] = { 0 };
	read_rows(path);
	qsort(rows, row_count, sizeof(*rows), by_kind);
	printf("// Made by sbx-gen at build time.\n#include \"names/names.h\"\n\n"
	       "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
	       "const char trusted_text[] =\n");
	for (unsigned i = 0; i < row_count; i++) {
		texts[i][0] = write_text(rows[i].name);
		texts[i][1] = write_text(rows[i].who);
		texts[i][2] = write_text(rows[i].source);
		first[rows[i].answer + 1] = i + 1;
	}
	printf("\t\"\";\nconst struct trusted_row trusted_rows[] = {\n");
	for (unsigned i = 0; i < row_count; i++)
		printf("\t{ %u, %d, %d, %d, %d, %u, %u, %u },\n", rows[i].answer, rows[i].pattern,
		       rows[i].below, edge(rows[i].name[0]),
		       edge(rows[i].name[strcspn(rows[i].name, "/") - 1]), texts[i][0], texts[i][1],
		       texts[i][2]);
	printf("};\nconst unsigned short trusted_first[] = {");
	for (unsigned i = 0; i <= TRUSTED_ANSWERS; i++)
		printf(" %u,", first[i]);
	printf(" };\n");
	uint64_t hash = 14695981039346656037ULL;
	for (unsigned i = 0; i < row_count; i++)
		for (const char *at = rows[i].name; at == rows[i].name || at[-1]; at++)
			hash = (hash ^ (unsigned char)*at ^ ((uint64_t)rows[i].answer << 8) ^
				((uint64_t)rows[i].below << 16)) *
			       1099511628211ULL;
	printf("const uint64_t trusted_hash = 0x%llxULL;\n", (unsigned long long)hash);
	write_bits();
}

void gen_man_names(const char *path)
{
	const struct name_row *last = NULL;
	read_rows(path);
	for (unsigned i = 0; i < row_count; last = &rows[i++]) {
		if (!last || last->answer != rows[i].answer || last->below != rows[i].below)
			printf(".SH \"%s%s\"\n", words[rows[i].answer],
			       rows[i].below ? ", in any directory" : "");
		if (!last || !str_equal(last->who, rows[i].who) || last->answer != rows[i].answer)
			printf(".TP\n");
		else
			printf(".TQ\n");
		gen_put("\\fB%s\\fR\n", rows[i].name);
		if (i + 1 < row_count && str_equal(rows[i].who, rows[i + 1].who) &&
		    rows[i].answer == rows[i + 1].answer)
			continue;
		gen_put("%s.\nSource: %s.\n", rows[i].who, rows[i].source);
	}
}
