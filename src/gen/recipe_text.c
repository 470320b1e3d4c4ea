// Owns what is made of man/recipes.txt: the text in the program, and the entries of sbx-recipes(7).
#include "gen/gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "text/recipes.h"

static _Noreturn void stop(const char *what)
{
	fprintf(stderr, "sbx-gen: recipes: %.80s\n", what);
	exit(1);
}

static const char *next_line(const char *at)
{
	at += strcspn(at, "\n");
	return *at ? at + 1 : at;
}

void gen_recipes(const char *path)
{
	size_t length;
	const char *text = gen_read_file(path, &length);
	struct recipe recipe;
	for (const char *at = text; (at = recipe_next(at, &recipe)) != NULL;)
		if (recipe.fix_length == 0)
			stop(recipe.keys);
	printf("// Made by sbx-gen at build time.\n#include \"text/recipes.h\"\n\n"
	       "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n"
	       "const char recipes_text[] =\n");
	for (const char *at = text; *at; at = next_line(at)) {
		if (*at == '#' || str_starts(at, "== "))
			continue;
		printf("\t\"");
		for (const char *byte = at; *byte && *byte != '\n'; byte++)
			printf(*byte == '"' || *byte == '\\' ? "\\%c" : "%c", *byte);
		printf("\\n\"\n");
	}
	printf("\t\"\";\n");
}

// `code` is bold.
static void roff_line(const char *at)
{
	bool code = false;
	if (*at == '.' || *at == '\'')
		printf("\\&");
	for (; *at && *at != '\n'; at++) {
		if (*at == '`') {
			code = !code;
			printf(code ? "\\fB" : "\\fR");
		} else if (*at == '\\') {
			printf("\\e");
		} else if (*at == '^') {
			printf("\\(ha");
		} else if (*at == '~') {
			printf("\\(ti");
		} else if (*at == '\'') {
			printf("\\(aq");
		} else if (*at == '"') {
			printf("\\(dq");
		} else if (*at == '-') {
			printf("\\-");
		} else {
			putchar(*at);
		}
	}
	putchar('\n');
	if (code)
		stop("a ` is missing");
}

void gen_man_recipes(const char *path)
{
	size_t length;
	bool more = false;
	for (const char *at = gen_read_file(path, &length); *at; at = next_line(at)) {
		if (str_starts(at, "== ")) {
			printf(".SH ");
			roff_line(at + 3);
		} else if (str_starts(at, "? ")) {
			printf(more ? ".TQ\n.B " : ".TP\n.B ");
			roff_line(at + 2);
			more = true;
		} else if (*at != '#' && *at != '\n') {
			roff_line(at);
			more = false;
		}
	}
}

// The generator has no table of its own.
const char recipes_text[] = "";
