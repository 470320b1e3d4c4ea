// Does file operations in a box, as tests/adversary/grammar.py wrote them; called as "canary" it
// notes on the host that it was run. One operation is a record of fields; an operation that fails
// is passed over, as the sequence is random. Directories on the way to a name are made.
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { FIELDS_MAX = 4, INPUT_MAX = 1 << 20, SLOTS = 8, EXCHANGE = 2, TREE_FILES = 16 };
static const char field_end = '\x1f', record_end = '\x1e';
static int slots[SLOTS];

static void make_parents(const char *path)
{
	char way[PATH_MAX];
	if (strlen(path) >= sizeof(way))
		return;
	strcpy(way, path);
	for (char *at = strchr(way + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		mkdir(way, 0755);
		*at = '/';
	}
}

static void write_text(int fd, const char *text)
{
	if (fd >= 0 && write(fd, text, strlen(text)) < 0)
		return;
}

static mode_t mode_of(const char *text)
{
	return (mode_t)strtoul(text, NULL, 8);
}

static void do_mkdir(char **words)
{
	make_parents(words[1]);
	mkdir(words[1], 0755);
}

static void do_write(char **words)
{
	make_parents(words[1]);
	int fd = open(words[1], O_WRONLY | O_CREAT | O_TRUNC, mode_of(words[3]));
	write_text(fd, words[2]);
	if (fd >= 0) {
		fchmod(fd, mode_of(words[3]));
		close(fd);
	}
}

static void do_append(char **words)
{
	int fd = open(words[1], O_WRONLY | O_APPEND);
	write_text(fd, words[2]);
	if (fd >= 0)
		close(fd);
}

static void do_rename(char **words)
{
	make_parents(words[2]);
	rename(words[1], words[2]);
}

static void do_exchange(char **words)
{
	syscall(SYS_renameat2, AT_FDCWD, words[1], AT_FDCWD, words[2], EXCHANGE);
}

static void do_link(char **words)
{
	make_parents(words[2]);
	if (link(words[1], words[2]) < 0)
		return;
}

static void do_symlink(char **words)
{
	make_parents(words[2]);
	if (symlink(words[1], words[2]) < 0)
		return;
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
	(void)status;
	(void)kind;
	(void)place;
	remove(path);
	return 0;
}

static void do_remove(char **words)
{
	nftw(words[1], remove_one, TREE_FILES, FTW_DEPTH | FTW_PHYS);
}

static void do_chmod(char **words)
{
	chmod(words[1], mode_of(words[2]));
}

static void do_utimes(char **words)
{
	struct timespec times[2] = { { .tv_sec = strtol(words[2], NULL, 10) } };
	times[1] = times[0];
	utimensat(AT_FDCWD, words[1], times, AT_SYMLINK_NOFOLLOW);
}

static int *slot_of(const char *text)
{
	return &slots[strtoul(text, NULL, 10) % SLOTS];
}

// A descriptor outlives what happens to the name.
static void do_open(char **words)
{
	int *slot = slot_of(words[1]);
	*slot = open(words[2], O_WRONLY);
	if (*slot < 0)
		*slot = open(words[2], O_RDONLY | O_DIRECTORY);
}

static void do_through(char **words)
{
	int fd = *slot_of(words[1]);
	if (fd >= 0 && ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0)
		write_text(fd, words[2]);
}

static void do_below(char **words)
{
	int fd = openat(*slot_of(words[1]), words[2], O_WRONLY | O_CREAT | O_TRUNC, 0755);
	write_text(fd, words[3]);
	if (fd >= 0)
		close(fd);
}

static void do_pause(char **words)
{
	long milliseconds = strtol(words[1], NULL, 10);
	struct timespec time = { milliseconds / 1000, milliseconds % 1000 * 1000000L };
	nanosleep(&time, NULL);
}

// More names than a list may hold.
static void do_flood(char **words)
{
	char path[PATH_MAX];
	long count = strtol(words[1], NULL, 10);
	for (long i = 0; i < count; i++) {
		snprintf(path, sizeof(path), "%s%ld%s", words[2], i, words[3]);
		make_parents(path);
		mkdir(path, 0755);
	}
}

static void do_say(char **words)
{
	write_text(STDOUT_FILENO, words[1]);
}

static void do_shell(char **words)
{
	if (system(words[1]) < 0)
		return;
}

static const struct {
	const char *name;
	int words; // after the name
	void (*act)(char **words);
} acts[] = {
	{ "mkdir", 1, do_mkdir },     { "write", 3, do_write },       { "append", 2, do_append },
	{ "rename", 2, do_rename },   { "exchange", 2, do_exchange }, { "link", 2, do_link },
	{ "symlink", 2, do_symlink }, { "remove", 1, do_remove },     { "chmod", 2, do_chmod },
	{ "utimes", 2, do_utimes },   { "open", 2, do_open },         { "through", 2, do_through },
	{ "below", 3, do_below },     { "pause", 1, do_pause },       { "flood", 3, do_flood },
	{ "say", 1, do_say },         { "shell", 1, do_shell },
};

static int perform(char *record)
{
	char *words[FIELDS_MAX] = { record };
	int count = 1;
	for (char *at = record; (at = strchr(at, field_end)) && count < FIELDS_MAX; count++) {
		*at++ = '\0';
		words[count] = at;
	}
	for (size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++)
		if (strcmp(acts[i].name, words[0]) == 0 && acts[i].words == count - 1) {
			acts[i].act(words);
			return 0;
		}
	fprintf(stderr, "act: '%s' with %d words is not an operation\n", words[0], count - 1);
	return 2;
}

// Appends "TAG reader directory" to the file `fired` beside the program. A reader that asks for
// input gets none.
static int note(const char *program, const char *tag)
{
	char path[PATH_MAX], line[2 * PATH_MAX], here[PATH_MAX];
	const char *reader = getenv("ADVERSARY_READER");
	snprintf(path, sizeof(path), "%.*s/fired", (int)(strrchr(program, '/') - program), program);
	int length = snprintf(line, sizeof(line), "%s\t%s\t%s\n", tag, reader ? reader : "",
			      getcwd(here, sizeof(here)) ? here : "");
	int fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
	return fd < 0 || write(fd, line, (size_t)length) != length;
}

int main(int argc, char **argv)
{
	static char input[INPUT_MAX];
	size_t length = 0;
	ssize_t size;
	const char *name = strrchr(argv[0], '/');
	if (name && strcmp(name, "/canary") == 0)
		return note(argv[0], argc > 1 ? argv[1] : "");
	memset(slots, -1, sizeof(slots));
	while ((size = read(STDIN_FILENO, input + length, sizeof(input) - 1 - length)) > 0)
		length += (size_t)size;
	for (char *record = input; record < input + length;) {
		char *end = strchr(record, record_end);
		if (!end)
			return 2;
		*end = '\0';
		if (perform(record) != 0)
			return 2;
		record = end + 1;
	}
	return 0;
}
