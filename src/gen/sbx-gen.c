// Build-time only: writes the generated sources, man pages and completions from the tables.
//   sbx-gen syscalls | profiles FILE... | man TEMPLATE | bash | zsh | fish
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/path.h"
#include "base/str.h"
#include "cli/verbs.h"
#include "jail/syscalls.h"
#include "policy/ini.h"
#include "policy/keys.h"

static const char head[] = "// Made by sbx-gen at build time.\n";

static _Noreturn void stop(const char *what)
{
	fprintf(stderr, "sbx-gen: %s\n", what);
	exit(1);
}

// --- system call numbers -------------------------------------------------------------------------

static struct syscall_number numbers[1024];
static unsigned number_count;

static int by_number(const void *left, const void *right)
{
	const struct syscall_number *a = left, *b = right;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->group < b->group ? -1 : a->group > b->group;
}

// libseccomp says the native number; a negative one means that this machine has no such call.
static void add_call(const char *name, const char *fallback, unsigned group)
{
	int number = seccomp_syscall_resolve_name(name);
	if (number == __NR_SCMP_ERROR && fallback)
		number = atoi(fallback);
	if (number == __NR_SCMP_ERROR)
		stop(name);
	if (number >= 0 && number_count < 1024)
		numbers[number_count++] = (struct syscall_number){ name, (unsigned)number, group };
}

static void write_syscalls(void)
{
	for (unsigned group = 0; group < syscall_group_count; group++) {
		char *words = strdup(syscall_groups[group].calls);
		for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
			char *colon = strchr(word, ':');
			if (colon)
				*colon = '\0';
			add_call(word, colon ? colon + 1 : NULL, group);
		}
	}
	add_call("clone3", NULL, GROUP_FIRST_OPTIONAL + 1);
	qsort(numbers, number_count, sizeof(*numbers), by_number);
	printf("%s#include \"jail/syscalls.h\"\n\nconst struct syscall_number syscall_numbers[] = {\n",
	       head);
	for (unsigned i = 0; i < number_count; i++)
		printf("\t{ \"%s\", %u, %u },\n", numbers[i].name, numbers[i].number,
		       numbers[i].group);
	printf("};\nconst unsigned syscall_number_count = %u;\n", number_count);
}

// --- profiles ------------------------------------------------------------------------------------

static char *read_file(const char *path, size_t *ret_length)
{
	static char text[INI_BYTES_MOST + 1];
	FILE *file = fopen(path, "rb");
	if (!file)
		stop(path);
	*ret_length = fread(text, 1, INI_BYTES_MOST, file);
	text[*ret_length] = '\0';
	fclose(file);
	return text;
}

static void quote(const char *text, size_t length)
{
	putchar('"');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n')
			printf("\\n\"\n\t\"");
		else if (text[i] == '"' || text[i] == '\\')
			printf("\\%c", text[i]);
		else
			putchar(text[i]);
	}
	putchar('"');
}

static void write_rows(const struct ini_rows *rows, int profile)
{
	printf("static const struct ini_row rows_%d[] = {\n", profile);
	for (unsigned i = 0; i < rows->count; i++) {
		printf("\t{ %u, \"%s\", \"%s\", ", rows->rows[i].line, rows->rows[i].section,
		       rows->rows[i].name);
		quote(rows->rows[i].value, strlen(rows->rows[i].value));
		printf(" },\n");
	}
	printf("};\n");
}

static void write_profiles(char **paths, int count)
{
	struct ini_rows rows[64];
	struct arena *arena = arena_new();
	size_t length;
	printf("%s#include \"policy/find.h\"\n\n", head);
	for (int i = 0; i < count && i < 64; i++) {
		const char *text = read_file(paths[i], &length);
		if (ini_read(arena, paths[i], text, length, &rows[i]) < 0)
			stop(err_text());
		for (unsigned row = 0; row < rows[i].count; row++)
			if (!key_find(rows[i].rows[row].section, rows[i].rows[row].name))
				stop(rows[i].rows[row].name);
		write_rows(&rows[i], i);
	}
	printf("\nconst struct builtin builtins[] = {\n");
	for (int i = 0; i < count; i++) {
		const char *name = path_name(paths[i]);
		printf("\t{ \"%.*s\",\n\t  ", (int)strcspn(name, "."), name);
		const char *text = read_file(paths[i], &length);
		quote(text, length);
		printf(",\n\t  { rows_%d, %u } },\n", i, rows[i].count);
	}
	printf("};\nconst unsigned builtin_count = %d;\n", count);
}

// --- man pages -----------------------------------------------------------------------------------

// '-' as a real hyphen-minus, '.' and '\'' not at the start of a line, '\' escaped.
static void roff(const char *text)
{
	if (*text == '.' || *text == '\'')
		printf("\\&");
	for (; *text; text++) {
		if (*text == '-' || *text == '\\')
			putchar('\\');
		putchar(*text == '\\' ? 'e' : *text);
	}
}

static void man_flag(const struct key *key)
{
	printf(".TP\n");
	printf("\\fB");
	if (key->letter)
		printf("\\-%c\\fR, \\fB", key->letter);
	printf("\\-\\-");
	roff(key->flag);
	printf("\\fR");
	if (key->value) {
		printf(" \\fI");
		roff(key->value);
		printf("\\fR");
	}
	printf("\n");
	roff(key->help);
	printf(".\n");
}

static void man_options(void)
{
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (!key->section)
			man_flag(key);
	for (unsigned i = 0; i < section_count; i++) {
		if (str_equal(sections[i].name, "profile"))
			continue;
		printf(".SS %s: %s\n", sections[i].name, sections[i].help);
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->section && str_equal(key->section, sections[i].name) && key->flag)
				man_flag(key);
	}
}

static void man_keys(void)
{
	for (unsigned i = 0; i < section_count; i++) {
		printf(".SS [%s]\n", sections[i].name);
		roff(sections[i].help);
		printf(".\n");
		for (const struct key *key = keys; key < keys + key_count; key++) {
			if (!key->section || !str_equal(key->section, sections[i].name))
				continue;
			printf(".TP\n\\fB%s\\fR = \\fI", key->name);
			roff(key->value);
			printf("\\fR\n");
			roff(key->help);
			printf(".\n");
			if (key->kind == KEY_LIST)
				printf("May be repeated; an empty value empties the list.\n");
			if (key->flag)
				printf("Flag: \\fB\\-\\-%s\\fR.\n", key->flag);
		}
	}
}

static void man_groups(void)
{
	for (unsigned i = GROUP_FIRST_OPTIONAL; i < syscall_group_count; i++) {
		printf(".TP\n\\fB%s\\fR\n", syscall_groups[i].name);
		roff(syscall_groups[i].why);
		printf(".\n");
	}
}

static void man_verbs(void)
{
	for (unsigned i = 0; i < verb_row_count; i++) {
		printf(".TP\n\\fBsbx ");
		roff(verb_rows[i].synopsis);
		printf("\\fR\n");
		roff(verb_rows[i].help);
		printf(".\n");
	}
}

struct placeholder {
	const char *line;
	void (*write)(void);
};
static const struct placeholder placeholders[] = {
	{ "@OPTIONS@", man_options },
	{ "@KEYS@", man_keys },
	{ "@GROUPS@", man_groups },
	{ "@VERBS@", man_verbs },
};

static void write_man(const char *path)
{
	size_t length;
	for (char *line = strtok(read_file(path, &length), "\n"); line; line = strtok(NULL, "\n")) {
		void (*write)(void) = NULL;
		for (size_t i = 0; i < sizeof(placeholders) / sizeof(*placeholders); i++)
			if (str_equal(placeholders[i].line, line))
				write = placeholders[i].write;
		if (write)
			write();
		else
			printf("%s\n", line);
	}
}

// --- completions ---------------------------------------------------------------------------------

static const char *const verb_names[] = { "run", "shell", "plan", "profile", "doctor" };
enum { VERB_COUNT = 5 };

static void bash_values(const struct key *key)
{
	printf("\t--%s", key->flag);
	if (key->letter)
		printf(" | -%c", key->letter);
	printf(")\n");
	if (key->form == FORM_PATH)
		printf("\t\tcompopt -o filenames\n\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n");
	else if (key->form == FORM_PROFILE)
		printf("\t\tmapfile -t COMPREPLY < <(compgen -W \"$(sbx profile list | cut -d' ' -f1)\" "
		       "-- \"$word\")\n");
	else if (key->words) {
		printf("\t\tmapfile -t COMPREPLY < <(compgen -W '");
		for (unsigned i = 0; key->words[i]; i++)
			printf("%s%s", i ? " " : "", key->words[i]);
		printf("' -- \"$word\")\n");
	} else
		printf("\t\tCOMPREPLY=()\n");
	printf("\t\treturn\n\t\t;;\n");
}

static void write_bash(void)
{
	printf("# bash completion for sbx, made from its table of keys\n_sbx() {\n"
	       "\tlocal word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]}\n"
	       "\tif ((COMP_CWORD == 1)); then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W '");
	for (unsigned i = 0; i < verb_row_count; i++)
		printf("%s ", verb_rows[i].name);
	printf("--help --version' -- \"$word\")\n\t\treturn\n\tfi\n\tcase $before in\n");
	for (const struct key *key = keys; key < keys + key_count; key++)
		if (key->flag && key->kind != KEY_SWITCH)
			bash_values(key);
	printf("\tesac\n\tlocal flags=\n\tcase ${COMP_WORDS[1]} in\n");
	for (int verb = 0; verb < VERB_COUNT; verb++) {
		printf("\t%s) flags='", verb_names[verb]);
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->flag && (key->verbs & (1U << verb)))
				printf("--%s ", key->flag);
		printf("' ;;\n");
	}
	printf("\tesac\n\tif [[ $word == -* ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W \"$flags\" -- \"$word\")\n"
	       "\telif [[ ${COMP_WORDS[1]} == profile && $COMP_CWORD == 2 ]]; then\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -W 'list show check keys' -- \"$word\")\n"
	       "\telse\n"
	       "\t\tcompopt -o filenames\n"
	       "\t\tmapfile -t COMPREPLY < <(compgen -c -f -- \"$word\")\n\tfi\n}\n"
	       "complete -F _sbx sbx\n");
}

// Single quotes, brackets and colons mean something to zsh's _arguments.
static void zsh_text(const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			printf("'\\'");
		else if (strchr("[]:", *text))
			putchar('\\');
		putchar(*text);
	}
}

static void zsh_flag(const struct key *key)
{
	printf("\t\t\t'%s--%s%s[", key->kind == KEY_LIST ? "*" : "", key->flag,
	       key->kind == KEY_SWITCH ? "" : "=");
	zsh_text(key->help);
	printf("]");
	if (key->kind != KEY_SWITCH)
		printf(":%s:", key->form == FORM_PATH ? "path" : "value");
	if (key->form == FORM_PATH)
		printf("_files");
	else if (key->form == FORM_PROFILE)
		printf("_sbx_profiles");
	else if (key->words) {
		printf("(");
		for (unsigned i = 0; key->words[i]; i++)
			printf("%s%s", i ? " " : "", key->words[i]);
		printf(")");
	}
	printf("' \\\n");
}

static void write_zsh(void)
{
	printf("#compdef sbx\n# zsh completion for sbx, made from its table of keys\n"
	       "_sbx_profiles() { compadd $(sbx profile list | cut -d' ' -f1) }\n"
	       "_sbx() {\n\tif (( CURRENT == 2 )); then\n\t\tcompadd");
	for (unsigned i = 0; i < verb_row_count; i++)
		printf(" %s", verb_rows[i].name);
	printf(" -- --help --version\n\t\treturn\n\tfi\n\tlocal verb=$words[2]\n"
	       "\tshift words\n\t(( CURRENT-- ))\n\tcase $verb in\n");
	for (int verb = 0; verb < VERB_COUNT; verb++) {
		printf("\t\t%s) _arguments -S \\\n", verb_names[verb]);
		for (const struct key *key = keys; key < keys + key_count; key++)
			if (key->flag && (key->verbs & (1U << verb)))
				zsh_flag(key);
		printf("\t\t\t'*::command:_normal' ;;\n");
	}
	printf("\tesac\n}\n_sbx \"$@\"\n");
}

static void fish_text(const char *text)
{
	putchar('\'');
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			putchar('\\');
		putchar(*text);
	}
	putchar('\'');
}

static void write_fish(void)
{
	printf("# fish completion for sbx, made from its table of keys\ncomplete -c sbx -f\n");
	for (unsigned i = 0; i < verb_row_count; i++) {
		printf("complete -c sbx -n __fish_use_subcommand -a %s -d ", verb_rows[i].name);
		fish_text(verb_rows[i].help);
		printf("\n");
	}
	for (const struct key *key = keys; key < keys + key_count; key++) {
		if (!key->flag)
			continue;
		printf("complete -c sbx -n '__fish_seen_subcommand_from");
		for (int verb = 0; verb < VERB_COUNT; verb++)
			if (key->verbs & (1U << verb))
				printf(" %s", verb_names[verb]);
		printf("' -l %s", key->flag);
		if (key->letter)
			printf(" -s %c", key->letter);
		if (key->kind != KEY_SWITCH)
			printf(" -r");
		if (key->form == FORM_PATH)
			printf(" -F");
		if (key->form == FORM_PROFILE)
			printf(" -a '(sbx profile list | cut -d\" \" -f1)'");
		if (key->words) {
			printf(" -a '");
			for (unsigned i = 0; key->words[i]; i++)
				printf("%s%s", i ? " " : "", key->words[i]);
			printf("'");
		}
		printf(" -d ");
		fish_text(key->help);
		printf("\n");
	}
}

// The verbs' functions are not linked into the generator.
int verb_run(char **words)
{
	return words != NULL;
}
int verb_shell(char **words)
{
	return words != NULL;
}
int verb_plan(char **words)
{
	return words != NULL;
}
int verb_profile(char **words)
{
	return words != NULL;
}
int verb_doctor(char **words)
{
	return words != NULL;
}

int main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "";
	if (str_equal(what, "syscalls"))
		write_syscalls();
	else if (str_equal(what, "profiles") && count > 2)
		write_profiles(words + 2, count - 2);
	else if (str_equal(what, "man") && count == 3)
		write_man(words[2]);
	else if (str_equal(what, "bash"))
		write_bash();
	else if (str_equal(what, "zsh"))
		write_zsh();
	else if (str_equal(what, "fish"))
		write_fish();
	else
		stop("syscalls | profiles FILE... | man TEMPLATE | bash | zsh | fish");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
