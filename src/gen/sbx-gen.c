// Runs at build time: writes sources and man pages from the tables. main() lists its arguments.
#include <limits.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "base/fd.h"
#include "cli/verbs.h"
#include "gen/gen.h"
#include "policy/keys.h"
#include "seccomp/syscalls.h"
#include "text/destination.h"

static const char head[] = "// Made by sbx-gen at build time.\n";

_Noreturn void gen_stop(const char *what)
{
	fprintf(stderr, "sbx-gen: %.200s\n", what);
	exit(1);
}

static struct syscall_number numbers[1024];
static unsigned number_count;

static int by_number(const void *left, const void *right)
{
	const struct syscall_number *a = left, *b = right;
	if (a->number != b->number)
		return a->number < b->number ? -1 : 1;
	return a->group < b->group ? -1 : a->group > b->group;
}

// Gets the number from libseccomp. It is negative if the machine lacks the call.
static void add_call(uint32_t machine, const char *name, const char *fallback, unsigned group)
{
	int number = seccomp_syscall_resolve_name_arch(machine, name);
	if (number == __NR_SCMP_ERROR && fallback)
		number = atoi(fallback);
	if (number == __NR_SCMP_ERROR)
		gen_stop(name);
	if (number < 0 || number_count == 1024)
		return;
	struct syscall_number *row = &numbers[number_count++];
	if (number > USHRT_MAX || strlen(name) >= sizeof(row->name))
		gen_stop(name);
	snprintf(row->name, sizeof(row->name), "%s", name);
	row->number = (unsigned short)number;
	row->group = (unsigned short)group;
}

// Writes the names of all other calls that libseccomp knows on some machine.
static void write_others(void)
{
	static const char *const machines[] = { "x86_64", "aarch64", "riscv64", "x86", "arm" };
	struct arena *arena = arena_new();
	const char *known = "";
	for (unsigned i = 0; i < number_count; i++)
		known = arena_text(arena, "%s%s ", known, numbers[i].name);
	size_t own = strlen(known);
	for (unsigned i = 0; i < sizeof(machines) / sizeof(*machines); i++)
		for (int number = 0; number < 1024; number++) {
			char *name = seccomp_syscall_resolve_num_arch(
				seccomp_arch_resolve_name(machines[i]), number);
			if (name && !syscall_listed(known, name))
				known = arena_text(arena, "%s%s ", known, name);
			free(name);
		}
	printf("const char syscall_others[] = \"%s\";\n", known + own);
}

// Returns the first row of a call. Rows of a call are adjacent.
static unsigned check_of(const char *name)
{
	unsigned first = syscall_check_count, last = 0, count = 0;
	for (unsigned i = 0; i < syscall_check_count; i++) {
		if (!str_equal(syscall_checks[i].call, name))
			continue;
		first = count++ ? first : i;
		last = i;
	}
	if (count == 0 || last - first + 1 != count)
		gen_stop(name);
	return first;
}

// `machine_name` is Meson's. The output, when compiled, checks some numbers.
static void write_syscalls(const char *machine_name)
{
	static const char *const checked[] = { "read",   "mount",  "umount2", "unshare",
					       "ptrace", "execve", "setns",   "bpf" };
	uint32_t machine = seccomp_arch_resolve_name(machine_name);
	if (machine == 0)
		gen_stop(machine_name);
	for (unsigned group = 0; group < syscall_group_count; group++) {
		char *words = strdup(syscall_groups[group].calls);
		for (char *word = strtok(words, " "); word; word = strtok(NULL, " ")) {
			char *colon = strchr(word, ':');
			if (colon)
				*colon = '\0';
			add_call(machine, word, colon ? colon + 1 : NULL, group);
		}
		free(words);
	}
	add_call(machine, "clone3", NULL, GROUP_FIRST_OPTIONAL + 1);
	qsort(numbers, number_count, sizeof(*numbers), by_number);
	printf("%s#include <sys/syscall.h>\n#include \"seccomp/syscalls.h\"\n\n", head);
	for (unsigned i = 0; i < sizeof(checked) / sizeof(*checked); i++)
		printf("_Static_assert(SYS_%s == %d, \"the table is another machine's\");\n",
		       checked[i], seccomp_syscall_resolve_name_arch(machine, checked[i]));
	printf("\nconst struct syscall_number syscall_numbers[] = {\n");
	for (unsigned i = 0; i < number_count; i++)
		printf("\t{ \"%s\", %u, %u, %u },\n", numbers[i].name, numbers[i].number,
		       numbers[i].group,
		       syscall_groups[numbers[i].group].verdict == VERDICT_CHECK
			       ? check_of(numbers[i].name)
			       : 0);
	printf("};\nconst unsigned syscall_number_count = %u;\n", number_count);
	write_others();
}

const char *gen_read_file(const char *path, size_t *ret_length)
{
	const char *text;
	if (file_read(AT_FDCWD, path, FILE_LINK, INI_BYTES_MAX, arena_new(), &text, ret_length) <=
	    0)
		gen_stop(path);
	return text;
}

void gen_quote(const char *text, size_t length)
{
	putchar('"');
	for (size_t i = 0; i < length; i++) {
		if (text[i] == '\n')
			printf("\\n\"\n\t\"");
		else if (strchr("\"\\?", text[i])) // avoids trigraphs
			printf("\\%c", text[i]);
		else
			putchar(text[i]);
	}
	putchar('"');
}

static unsigned write_word(const char *word, unsigned *used)
{
	unsigned place = *used;
	printf("\t");
	gen_quote(word, strlen(word));
	printf(" \"\\0\"\n");
	*used += (unsigned)strlen(word) + 1;
	return place;
}

static void write_rows(const struct ini_rows *rows, int profile)
{
	struct ini_row last = { 0, "", "", "" };
	struct ini_stored place = { 0 }, *stored = calloc(rows->count + 1, sizeof(*stored));
	unsigned used = 0;
	if (!stored)
		gen_stop("out of memory");
	printf("static const char text_%d[] =\n", profile);
	for (unsigned i = 0; i < rows->count; i++) {
		const struct ini_row row = ini_at(rows, i);
		if (!str_equal(row.section, last.section))
			place.section = write_word(row.section, &used);
		if (!str_equal(row.name, last.name))
			place.name = write_word(row.name, &used);
		place.value = write_word(row.value, &used);
		place.line = row.line;
		stored[i] = place;
		last = row;
	}
	printf("\t\"\";\nstatic const struct ini_stored rows_%d[] = {\n", profile);
	for (unsigned i = 0; i < rows->count; i++)
		printf("\t{ %u, %u, %u, %u },\n", stored[i].line, stored[i].section, stored[i].name,
		       stored[i].value);
	printf("};\n");
	free(stored);
}

static void write_profiles(char **paths, int count)
{
	struct ini_rows rows[64];
	struct arena *arena = arena_new();
	size_t length;
	printf("%s#include \"policy/find.h\"\n\n"
	       "#pragma GCC diagnostic ignored \"-Woverlength-strings\"\n\n",
	       head);
	for (int i = 0; i < count && i < 64; i++) {
		const char *text = gen_read_file(paths[i], &length);
		if (ini_read(arena, paths[i], text, length, &rows[i]) < 0)
			gen_stop(err_text());
		for (unsigned row = 0; row < rows[i].count; row++)
			if (!key_find(ini_at(&rows[i], row).section, ini_at(&rows[i], row).name))
				gen_stop(ini_at(&rows[i], row).name);
		write_rows(&rows[i], i);
	}
	printf("\nconst struct builtin builtins[] = {\n");
	for (int i = 0; i < count; i++) {
		const char *name = path_name(paths[i]);
		printf("\t{ \"%.*s\",\n\t  ", (int)strcspn(name, "."), name);
		const char *text = gen_read_file(paths[i], &length);
		gen_quote(text, length);
		printf(",\n\t  { rows_%d, %u, text_%d } },\n", i, rows[i].count, i);
	}
	printf("};\nconst unsigned builtin_count = %d;\n", count);
}

static void write_groups(const char *path)
{
	struct arena *arena = arena_new();
	struct ini_rows rows;
	struct destination destination;
	size_t length;
	const char *text = gen_read_file(path, &length);
	if (ini_read(arena, path, text, length, &rows) < 0)
		gen_stop(err_text());
	for (unsigned i = 0; i < rows.count; i++) {
		const char *name = ini_at(&rows, i).name;
		if (strchr(name, '.') && !destination_parse(name, &destination))
			gen_stop(name);
	}
	printf("%s#include \"policy/find.h\"\n\n#pragma GCC diagnostic ignored "
	       "\"-Woverlength-strings\"\n\n",
	       head);
	write_rows(&rows, 0);
	printf("const struct ini_rows group_rows = { rows_0, %u, text_0 };\n", rows.count);
}

// Writes each file under its name up to the first dot.
static void write_files(const char *header, const char *type, const char *table, char **paths,
			int count)
{
	size_t length;
	printf("%s#include \"%s\"\n\n#pragma GCC diagnostic ignored "
	       "\"-Woverlength-strings\"\n\n"
	       "const struct %s %ss[] = {\n",
	       head, header, type, table);
	for (int i = 0; i < count; i++) {
		const char *name = path_name(paths[i]);
		printf("\t{ \"%.*s\",\n\t  ", (int)strcspn(name, "."), name);
		const char *text = gen_read_file(paths[i], &length);
		gen_quote(text, length);
		printf(" },\n");
	}
	printf("};\nconst unsigned %s_count = %d;\n", table, count);
}

static void write_settings(const char *path)
{
	size_t length;
	char *rest = NULL, *text = strdup(gen_read_file(path, &length));
	printf("%s#include \"view/hidden/hide.h\"\n\n#include <stddef.h>\n\n", head);
	for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
		if (str_equal(line, "[tokens]"))
			printf("const char *const settings_with_secrets[] = {\n");
		else if (str_equal(line, "[registries]"))
			printf("\tNULL,\n};\nconst char *const settings_of_registries[] = {\n");
		else if (str_starts(line, "~/") || line[0] == '/')
			printf("\t\"%s\",\n", line);
		else if (line[0] != '#')
			gen_stop(line);
	printf("\tNULL,\n};\n");
}

int main(int count, char **words)
{
	const char *what = count > 1 ? words[1] : "";
	if (str_equal(what, "syscalls") && count == 3)
		write_syscalls(words[2]);
	else if (str_equal(what, "profiles") && count > 2)
		write_profiles(words + 2, count - 2);
	else if (str_equal(what, "groups") && count == 3)
		write_groups(words[2]);
	else if (str_equal(what, "files") && count > 5)
		write_files(words[2], words[3], words[4], words + 5, count - 5);
	else if (str_equal(what, "settings") && count == 3)
		write_settings(words[2]);
	else if (str_equal(what, "network"))
		gen_network();
	else if (str_equal(what, "names") && count == 3)
		gen_names(words[2]);
	else if (str_equal(what, "recipes") && count == 3)
		gen_recipes(words[2]);
	else if (str_equal(what, "man") && (count == 7 || count == 8))
		gen_man(words + 2, words[7]);
	else
		gen_stop("syscalls MACHINE | profiles FILE... | files HEADER TYPE TABLE FILE... | "
			 "groups FILE | names FILE | settings FILE | "
			 "recipes FILE | network | man TEMPLATE GROUPS NAMES RECIPES JSON [VERB]");
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}
