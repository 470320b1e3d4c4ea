// Memory, errors, lists, texts, paths, units, times and output.
//
// The room base owns what every room needs: memory, errors, descriptors, strings, paths, lists.
// Nothing of it knows of sandboxes. Uses: nothing else. Begin with base.h and fd.h.
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct arena;

// Profile and plan are in one arena. arena_seal() makes it read-only.

// These functions end the process when memory is short.
#define ARENA_BYTES_PLAN ((size_t)64 << 20)
struct arena *arena_new(void);
struct arena *arena_new_of(size_t bytes);
// Shared with child processes.
struct arena *arena_new_shared(size_t bytes);
// Child processes do not get this memory.
struct arena *arena_new_scratch(void);
void *arena_take(struct arena *arena, size_t size) __attribute__((malloc, returns_nonnull));
// Makes room in `list` for one more item of `each` bytes. Doubles *size when the list is full.
void *arena_grow(struct arena *arena, void *list, unsigned count, unsigned *size, size_t each);
char *arena_copy(struct arena *arena, const char *text, size_t length);
char *arena_text(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

// Makes the arena read-only in this process: a later write is a SIGSEGV.
int arena_seal(struct arena *arena);
void arena_free(struct arena *arena);
void arena_clear(struct arena *arena);
size_t arena_left(const struct arena *arena);
// Unmaps, in a child, the shared arenas that its parent still uses.
void arena_forget(void);

enum { ERR_CHANGED = -1, ERR_HELP = -2 };

// Records why a function failed, unless something was recorded, and returns -1. errnum: an errno,
// whose text is appended; 0: the text says everything; ERR_CHANGED: a second try can succeed;
// ERR_HELP: the words ask for help ("screen" or "all").
#define fail(errnum, ...) (err_record(errnum, __VA_ARGS__), err_failed())

void err_record(int errnum, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
// Shows static analysers that fail() returns -1.
static inline int err_failed(void)
{
	return -1;
}

// err_text() is "" if nothing failed.
const char *err_text(void);
int err_number(void);

// Clears the failure and returns its text, valid until the next err_taken().
const char *err_taken(void);
// These clear the failure if `harmless`, or if its number is `errnum`.
bool err_tolerated(bool harmless);
bool err_forgive(int errnum);
// ATTEMPT() clears a failure of its call, FORGIVING each failure up to the end of the block.
#define ATTEMPT(call)                                                                              \
	__extension__({                                                                            \
		__attribute__((cleanup(err_restore), unused)) const bool err_before_call =         \
			err_is_recorded();                                                         \
		(call);                                                                            \
	})
#define FORGIVING                                                                                  \
	__attribute__((cleanup(err_restore), unused)) const bool err_before = err_is_recorded()

bool err_is_recorded(void);
bool err_is(int errnum);
void err_restore(const bool *before);

// Returns from the calling function with -1 when the expression is negative.
#define TRY(expression)                                                                            \
	do {                                                                                       \
		if ((expression) < 0)                                                              \
			return -1;                                                                 \
	} while (0)

// The place of a value: "base.ini" and its line, or "--read" and line 0. The value with the higher
// `order` wins.
struct origin {
	const char *file;
	unsigned line, order;
};
enum {
	ORDER_UNTRUSTED = 1 << 28,
	ORDER_OWN_FILE = 1 << 29,
	ORDER_ELSEWHERE = (1 << 30) - 2, // warnings about other directories
	ORDER_PROJECT = (1 << 30) - 1,
	ORDER_FLAGS = 1 << 30,
	ORDER_LOCKED = ORDER_FLAGS + (1 << 29)
};

struct item {
	struct item *next;
	const char *text;
	struct origin from;
};

struct list {
	struct item *first, *last;
};

#define list_each(each, list) for (const struct item *each = (list)->first; each; each = each->next)

bool list_has(const struct list *list, const char *text);
unsigned list_count(const struct list *list);
void list_add(struct list *list, struct arena *arena, const char *text, struct origin from);

// Returns "base.ini:12: " or "--read: ", the begin of messages about a value.
const char *origin_text(struct arena *arena, struct origin from);

bool str_equal(const char *left, const char *right);
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
// Compares for qsort(3) and bsearch(3) over pointers to strings.
int str_compare(const void *left, const void *right);

// `words` are separated by blanks.
bool str_has_word(const char *words, const char *word, size_t length);

// `pattern` knows only '*'.
bool str_match(const char *text, const char *pattern);
// `patterns` are separated by blanks.
bool str_match_any(const char *text, const char *patterns);

// Returns the length of the first UTF-8 sequence, or 0.
size_t str_sequence(const char *text);

// LETTER_UNSEEN: the next character has no shape. LETTER_ACTS: it acts on a terminal (C0, DEL, C1,
// also the single byte 9B), or changes the direction of text.
enum letter { LETTER_SEEN, LETTER_UNSEEN, LETTER_ACTS };
enum letter str_letter(const char *at, size_t *ret_length, uint32_t *ret_code);

// Returns the length of the next character. `shown`: ^[, <U+202E> or <9B> for one that is not
// LETTER_SEEN, else "".
enum { STR_SHOWN_MAX = 12 };
size_t str_next(const char *at, char shown[STR_SHOWN_MAX]);

// True if no character is LETTER_ACTS.
bool str_printable(const char *text);
// True if each character is LETTER_SEEN.
bool str_visible(const char *text);

// Returns `text`, or a replacement if it is not printable.
const char *str_shown(const char *text);

// Returns the edit distance, at most `most` + 1.
unsigned str_distance(const char *left, const char *right, unsigned most);

// FNV-1a. An attacker can make collisions.
uint64_t str_hash(const char *text);
uint64_t str_hash_more(uint64_t hash, const void *bytes, size_t length);

// Reads a decimal number without sign or blanks. Returns false outside [low, high].
bool str_number(const char *text, size_t length, unsigned long long low, unsigned long long high,
		unsigned long long *ret_number);

// Writes the whole text, or "" and returns false: a truncated path names another file.
bool str_put(char *buffer, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

// Resolves "." and ".." as text, only for paths that the user wrote: "LINK/.." may be elsewhere.
char *path_clean(struct arena *arena, const char *path);

// Joins and cleans. An absolute `name` replaces `directory`.
char *path_join(struct arena *arena, const char *directory, const char *name);

char *path_below(struct arena *arena, const char *directory, const char *name);

// True if `path` is `directory` or below. Both must be clean.
bool path_within(const char *path, const char *directory);
// Returns the length of the leading components that both share.
size_t path_common(const char *one, const char *other);

// Returns "/" for "/".
char *path_parent(struct arena *arena, const char *path);

const char *path_name(const char *path);
// Reads the next absolute directory of a list like PATH. Returns false after the last.
bool path_list_next(const char **list, char directory[PATH_MAX]);

// Returns the home in /etc/passwd of `user` (NULL: of the caller), or NULL.
const char *passwd_home(struct arena *arena, const char *user, size_t length);

// Returns STATE/KIND/NAME, where NAME is the escaped `path`. A long NAME is several directories.
const char *path_kept(struct arena *arena, const char *state, const char *kind, const char *path);
// Returns the path of an escaped NAME, or NULL if it is invalid.
const char *path_of_kept(struct arena *arena, const char *name);
bool path_kept_is_part(const char *component);

// Writes the target of the link `path` with content `text`. Returns false if only the file system
// knows it (".." after a name).
bool path_of_link(const char *path, const char *text, char *place, size_t size);

// Puts `text` in single quotes for a shell.
char *quote_word(struct arena *arena, const char *text);

// Quotes a word of a suggested command. Returns NULL if it acts on a terminal or begins with '-'.
const char *quote_fix(struct arena *arena, const char *text);

#define UNLIMITED UINT64_MAX

// Writes 2147483648 as 2G, 90000 as 90s, 1500 as 1.5. `size` of 32 is enough.
enum unit { UNIT_SIZE, UNIT_TIME, UNIT_COUNT, UNIT_PROCESSORS };
void units_text(char *buffer, size_t size, uint64_t number, enum unit unit);
// Rounds for people: 1.2G, 45M, 3.21s.
void units_rough(char *buffer, size_t size, uint64_t number, enum unit unit);
// Writes an age for people: 119s, 119m, 47h, 3d.
void units_age(char *buffer, size_t size, uint64_t milliseconds);

bool units_size(const char *text, uint64_t *ret_bytes);        // 10, 64K, 512M, 2G, 1T
bool units_time(const char *text, uint64_t *ret_milliseconds); // 500ms, 30s, 5m, 2h, 1d
bool units_count(const char *text, uint64_t *ret);
bool units_processors(const char *text, uint64_t *ret_thousandths); // 2, 1.5, 0.25
bool units_percent(const char *text, uint64_t *ret_percent);        // 75%

// Returns milliseconds.
static inline int64_t steady_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static inline int64_t wall_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Returns nanoseconds of CPU time: other load has little effect.
static inline int64_t processor_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Returns nanoseconds.
static inline int64_t thread_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Returns a timeout for poll(): `milliseconds`, or less if steady_now() reaches `until` before.
// `until` 0: never.
int times_left(int64_t until, int milliseconds);

// Returns nanoseconds. A file of another system may have too large a time: unsigned numbers wrap.
static inline int64_t times_from(const struct timespec *time)
{
	return (int64_t)((uint64_t)time->tv_sec * 1000000000U + (uint64_t)time->tv_nsec);
}

// Two ticks at CONFIG_HZ=100, in nanoseconds: file times are that coarse. Linux 6.13 is exact on
// some disks.
enum { TIMES_TICK = 20000000 };
// Returns nanoseconds of the wall clock.
int64_t times_now(void);
struct timespec times_of(int64_t nanoseconds);
// Writes a time of wall_now() as "2026-01-02T03:04:05.678Z".
enum { TIMES_STAMP = 32 };
void times_stamp(int64_t milliseconds, char stamp[TIMES_STAMP]);
// False for network file systems and FUSE, whose times are from another clock.
bool times_are_ours(const char *path);

struct out {
	char *text;
	size_t used, size;
	bool comma; // the next JSON value needs a comma
	bool json;
	bool marks;
};

void out_text(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_bytes(struct out *out, const char *bytes, size_t length);
void out_free(struct out *out);

void out_wrapped(struct out *out, int column, int at, const char *text);

// Shows characters that act on a terminal as str_next() does. Keeps tab, newline and CR LF. Ends
// the text with NUL.
void out_visible(struct out *out, const char *bytes, size_t length);

// Like out_visible(), but shows newline, tab and invalid UTF-8, too: the text stays on one line.
void out_shown(struct out *out, const char *text);

int out_flush(struct out *out, int fd);

int out_write(struct out *out, int fd);

// json_begin() begins the outermost object, with version and form (sbx-json(5)).
void json_null(struct out *out, const char *key);
void json_begin(struct out *out, const char *form);
void json_end(struct out *out);
// `key` is NULL in a list. These escape what a terminal does not show. Invalid UTF-8 becomes
// U+FFFD.
void json_open(struct out *out, const char *key, char bracket);
void json_close(struct out *out, char bracket);
void json_string(struct out *out, const char *key, const char *value);
void json_number(struct out *out, const char *key, unsigned long long value);
void json_flag(struct out *out, const char *key, bool value);
