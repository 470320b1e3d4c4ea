// What nearly every file uses: memory, errors, lists, texts, paths, units, times, output.
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

// One block of memory for profile and plan; freed as a whole, sealed when decided.

// Aborts the process when memory is short: nothing has run yet.
#define ARENA_BYTES_PLAN ((size_t)64 << 20)
struct arena *arena_new(void);
struct arena *arena_new_of(size_t bytes);
// Shared with child processes.
struct arena *arena_new_shared(size_t bytes);
// For the making of a plan: children do not get it.
struct arena *arena_new_scratch(void);
void *arena_take(struct arena *arena, size_t size) __attribute__((malloc, returns_nonnull));
// Room for one more of `each` bytes; doubles *size when full.
void *arena_grow(struct arena *arena, void *list, unsigned count, unsigned *size, size_t each);
char *arena_copy(struct arena *arena, const char *text, size_t length);
char *arena_text(struct arena *arena, const char *format, ...)
	__attribute__((format(printf, 2, 3), returns_nonnull));

// Read-only in this process: a later write is a SIGSEGV.
int arena_seal(struct arena *arena);
void arena_free(struct arena *arena);
void arena_clear(struct arena *arena);
size_t arena_left(const struct arena *arena);
// For a child: unmaps the shared arenas, so that it changes nothing of its parent's.
void arena_forget(void);

enum { ERR_CHANGED = -1, ERR_HELP = -2 };

// Records why a function failed, unless something was recorded, and returns -1. errnum: an errno
// value, whose text is appended; 0: the text says everything; ERR_CHANGED: a second try can
// succeed; ERR_HELP: the words ask for help ("screen" or "all").
#define fail(errnum, ...) (err_record(errnum, __VA_ARGS__), err_failed())

void err_record(int errnum, const char *format, ...) __attribute__((format(printf, 2, 3), cold));
// For analysers: a failed TRY returns.
static inline int err_failed(void)
{
	return -1;
}

// The recorded text ("" when nothing failed) and its errno.
const char *err_text(void);
int err_number(void);

// A tolerated failure: its text goes into a report, valid until the next err_taken() ...
const char *err_taken(void);
// ... or is dropped if `harmless`, or of this number ...
bool err_tolerated(bool harmless);
bool err_forgive(int errnum);
// ... or is never recorded: of a call, or up to the end of the block.
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

// "base.ini" and its line, or "--read" and line 0. The later `order` wins.
struct origin {
	const char *file;
	unsigned line, order;
};
enum {
	ORDER_UNTRUSTED = 1 << 28,
	ORDER_OWN_FILE = 1 << 29,
	ORDER_ELSEWHERE = (1 << 30) - 2, // a warning about a directory outside
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

// "base.ini:12: " or "--read: "; begins every message about a value.
const char *origin_text(struct arena *arena, struct origin from);

bool str_equal(const char *left, const char *right);
bool str_starts(const char *text, const char *prefix);
bool str_ends(const char *text, const char *suffix);
// For qsort(3) and bsearch(3) over pointers to strings.
int str_compare(const void *left, const void *right);

// `list`: words with blanks between.
bool str_has_word(const char *words, const char *word, size_t length);

// '*' only.
bool str_match(const char *text, const char *pattern);
// A list with blanks between.
bool str_match_any(const char *text, const char *patterns);

// 0: not UTF-8.
size_t str_sequence(const char *text);

// Does a terminal show the next character? Unseen ones have no shape. Acting ones are C0, DEL, C1
// (also a byte 9B outside of a sequence), or turn the direction of text.
enum letter { LETTER_SEEN, LETTER_UNSEEN, LETTER_ACTS };
enum letter str_letter(const char *at, size_t *ret_length, uint32_t *ret_code);

// Its length. `shown`: ^[, <U+202E> or <9B> for an unseen one, else "".
enum { STR_SHOWN_MAX = 12 };
size_t str_next(const char *at, char shown[STR_SHOWN_MAX]);

// No character acts on a terminal ...
bool str_printable(const char *text);
// ... and each is seen: a reader can type it.
bool str_visible(const char *text);

// The text, or a replacement for an unprintable one.
const char *str_shown(const char *text);

// Edits between two words, at most `most` + 1.
unsigned str_distance(const char *left, const char *right, unsigned most);

// FNV-1a; not against an attacker.
uint64_t str_hash(const char *text);
uint64_t str_hash_more(uint64_t hash, const void *bytes, size_t length);

// Decimal, without sign, blanks or garbage; false when out of [low, high].
bool str_number(const char *text, size_t length, unsigned long long low, unsigned long long high,
		unsigned long long *ret_number);

// All, or "" and false: a cut path names another file.
bool str_put(char *buffer, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

// Only for paths that the user wrote: after a symlink ".." leads elsewhere.
char *path_clean(struct arena *arena, const char *path);

// Cleans; an absolute name replaces the directory.
char *path_join(struct arena *arena, const char *directory, const char *name);

// For clean names.
char *path_below(struct arena *arena, const char *directory, const char *name);

// `path` is `directory` or below. Both are clean.
bool path_within(const char *path, const char *directory);
// The bytes that both begin with, as whole names.
size_t path_common(const char *one, const char *other);

// The parent directory ("/" for "/").
char *path_parent(struct arena *arena, const char *path);

const char *path_name(const char *path);
// The next absolute directory of a list like PATH. False: none.
bool path_list_next(const char **list, char directory[PATH_MAX]);

// The home of a user in /etc/passwd, or of this one (NULL); NULL: none.
const char *passwd_home(struct arena *arena, const char *user, size_t length);

// STATE/KIND/NAME of a directory, by its whole path; a long one has directories below KIND.
const char *path_kept(struct arena *arena, const char *state, const char *kind, const char *path);
// NULL: an impossible name. `ret_more`: a directory with the rest of a long one.
const char *path_of_kept(struct arena *arena, const char *name);
bool path_kept_is_part(const char *component);

// The target as text. False: only the file system knows (".." behind a name).
bool path_of_link(const char *path, const char *text, char *place, size_t size);

// Any bytes, in single quotes.
char *quote_word(struct arena *arena, const char *text);

// NULL for bytes that act on a terminal, or a leading '-'.
const char *quote_fix(struct arena *arena, const char *text);

#define UNLIMITED UINT64_MAX

// 2147483648 -> 2G, 90000 -> 90s, 1500 -> 1.5. `size` of 32 is enough.
enum unit { UNIT_SIZE, UNIT_TIME, UNIT_COUNT, UNIT_PROCESSORS };
void units_text(char *buffer, size_t size, uint64_t number, enum unit unit);
// For people, about two digits: 1.2G, 45M; 3.21s.
void units_rough(char *buffer, size_t size, uint64_t number, enum unit unit);
// An age for people: 119s, 119m, 47h, 3d. `size` of 32 is enough.
void units_age(char *buffer, size_t size, uint64_t milliseconds);

bool units_size(const char *text, uint64_t *ret_bytes);        // 10, 64K, 512M, 2G, 1T
bool units_time(const char *text, uint64_t *ret_milliseconds); // 500ms, 30s, 5m, 2h, 1d
bool units_count(const char *text, uint64_t *ret);
bool units_processors(const char *text, uint64_t *ret_thousandths); // 2, 1.5, 0.25
bool units_percent(const char *text, uint64_t *ret_percent);        // 75%

// Milliseconds.
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

// CPU time in nanoseconds: a busy machine does not shorten such a bound.
static inline int64_t processor_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// The same of this thread alone.
static inline int64_t thread_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Poll's time-out: this one, or less until a time of the steady clock (0: none).
int times_left(int64_t until, int milliseconds);

// A foreign file's time may be too large: it wraps.
static inline int64_t times_from(const struct timespec *time)
{
	return (int64_t)((uint64_t)time->tv_sec * 1000000000U + (uint64_t)time->tv_nsec);
}

// Two ticks at CONFIG_HZ=100, the clock of file times; Linux 6.13 is exact on some disks.
enum { TIMES_TICK = 20000000 };
// Nanoseconds.
int64_t times_now(void);
struct timespec times_of(int64_t nanoseconds);
// "2026-01-02T03:04:05.678Z", of wall_now().
enum { TIMES_STAMP = 32 };
void times_stamp(int64_t milliseconds, char stamp[TIMES_STAMP]);
// False for file systems of a network or a program: their clock is another.
bool times_are_ours(const char *path);

struct out {
	char *text;
	size_t used, size;
	bool comma; // JSON: the next value needs one before it
	bool json;
	bool marks;
};

void out_text(struct out *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void out_bytes(struct out *out, const char *bytes, size_t length);
void out_free(struct out *out);

void out_wrapped(struct out *out, int column, int at, const char *text);

// What acts on a terminal is shown as str_next() does; tab, newline and CR LF stay. A NUL follows
// them.
void out_visible(struct out *out, const char *bytes, size_t length);

// One line: newline, tab and bad UTF-8 are shown, too.
void out_shown(struct out *out, const char *text);

int out_flush(struct out *out, int fd);

int out_write(struct out *out, int fd);

// JSON. The outermost object: its version and form (sbx-json(5)).
void json_null(struct out *out, const char *key);
void json_begin(struct out *out, const char *form);
// With a newline.
void json_end(struct out *out);
// In a list keys may be NULL. Escapes what a terminal does not show; bad UTF-8 becomes U+FFFD.
void json_open(struct out *out, const char *key, char bracket);
void json_close(struct out *out, char bracket);
void json_string(struct out *out, const char *key, const char *value);
void json_number(struct out *out, const char *key, unsigned long long value);
void json_flag(struct out *out, const char *key, bool value);
