// Owns the lines and words of the files in the state directory.
#include "text/words.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/base.h"

static int check_sum(char *text, size_t length)
{
	enum { SUM_LINE = sizeof("sum 0123456789abcdef") };
	char wanted[SUM_LINE + 1];
	if (length <= SUM_LINE || text[length - SUM_LINE - 1] != '\n')
		return fail(0, "its end is missing");
	char *line = text + length - SUM_LINE;
	char first = *line;
	*line = '\0';
	snprintf(wanted, sizeof(wanted), "sum %016" PRIx64 "\n", str_hash(text));
	if (first != 's' || !str_equal(line + 1, wanted + 1))
		return fail(0, "its checksum is wrong");
	return 0;
}

int words_open(struct arena *arena, const char *header, int version, const char *text,
	       size_t length, size_t most, char **ret_at)
{
	unsigned long long written;
	if (length > most || memchr(text, '\0', length))
		return fail(0, "it is not a file of sbx");
	char *copy = arena_copy(arena, text, length), *end = strchr(copy, '\n');
	if (!str_starts(copy, header) || !end ||
	    !str_number(copy + strlen(header), (size_t)(end - copy) - strlen(header), 1, 1000000,
			&written))
		return fail(0, "it is not a file of sbx");
	if (written != (unsigned long long)version)
		return fail(0, "version %llu was written by %s sbx", written,
			    written > (unsigned long long)version ? "a newer" : "an older");
	TRY(check_sum(copy, length));
	*ret_at = end + 1;
	return 0;
}

char *words_line(char **at)
{
	char *line = *at, *end = strchr(line, '\n');
	if (!end)
		return NULL;
	*end = '\0';
	*at = end + 1;
	return line;
}

static int hexadecimal(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

const char *words_next(struct arena *arena, char **at)
{
	size_t length = strcspn(*at, " "), used = 0;
	if (length == 0)
		return NULL;
	char *text = arena_take(arena, length + 1);
	for (size_t i = 0; i < length; i++) {
		char c = (*at)[i];
		if (c == '%') {
			int high = hexadecimal((*at)[i + 1]);
			int low = high < 0 ? -1 : hexadecimal((*at)[i + 2]);
			if (high < 0 || low < 0 || (high == 0 && low == 0))
				return NULL;
			c = (char)(high * 16 + low);
			i += 2;
		}
		text[used++] = c;
	}
	*at += length + ((*at)[length] == ' ');
	return text;
}

static bool is_plain(unsigned char c)
{
	return c > ' ' && c != '%' && c != 0x7f;
}

static bool is_path(const char *path)
{
	for (const char *part = path;; part++) {
		size_t length = strcspn(part, "/");
		if (length == 0 || (length == 1 && part[0] == '.') ||
		    (length == 2 && part[0] == '.' && part[1] == '.'))
			return false;
		part += length;
		if (!*part)
			return true;
	}
}

static bool read_number(struct arena *arena, char **at, size_t size, void *ret_field)
{
	unsigned long long number, most = size == sizeof(unsigned) ? UINT32_MAX : UINT64_MAX;
	const char *text = words_next(arena, at);
	if (!text || !str_number(text, strlen(text), 0, most, &number))
		return false;
	if (size == sizeof(unsigned))
		*(unsigned *)ret_field = (unsigned)number;
	else
		*(uint64_t *)ret_field = number;
	return true;
}

static bool read_time(struct arena *arena, char **at, struct timespec *ret_time)
{
	uint64_t seconds, nanoseconds;
	if (!read_number(arena, at, sizeof(seconds), &seconds) ||
	    !read_number(arena, at, sizeof(nanoseconds), &nanoseconds) || nanoseconds >= 1000000000)
		return false;
	*ret_time = (struct timespec){ (time_t)seconds, (long)nanoseconds };
	return true;
}

static bool read_text(struct arena *arena, char **at, enum words_form form, const char **ret_text)
{
	*ret_text = form == WORDS_LAST && !**at ? "" : words_next(arena, at);
	return *ret_text && (form == WORDS_TEXT || form == WORDS_LAST ||
			     (form == WORDS_ABOVE && **ret_text == '/') ||
			     (form == WORDS_PATH && is_path(*ret_text)));
}

bool words_read(struct arena *arena, char **at, const struct words_field *fields, unsigned count,
		void *ret_record)
{
	for (const struct words_field *field = fields; field < fields + count; field++) {
		void *place = (char *)ret_record + field->at;
		bool read = field->form == WORDS_NUMBER ? read_number(arena, at, field->size, place)
			    : field->form == WORDS_TIME ? read_time(arena, at, place)
							: read_text(arena, at, field->form, place);
		if (!read)
			return false;
	}
	return true;
}

int words_read_kind(struct arena *arena, char *line, const struct words_kind *kinds, unsigned count,
		    void *record)
{
	const char *word = words_next(arena, &line);
	for (unsigned i = 0; word && i < count; i++)
		if (str_equal(kinds[i].word, word))
			return words_read(arena, &line, kinds[i].fields, kinds[i].count, record) &&
					       !*line
				       ? (int)i
				       : -1;
	return -1;
}

void words_put(struct out *out, const char *text)
{
	while (*text) {
		int plain = 0;
		while (is_plain((unsigned char)text[plain]))
			plain++;
		out_bytes(out, text, (size_t)plain);
		text += plain;
		if (*text)
			out_text(out, "%%%02x", (unsigned char)*text++);
	}
}

static void put_number(struct out *out, unsigned long long number)
{
	char text[24], *end = text + sizeof(text), *at = end;
	do
		*--at = (char)('0' + number % 10);
	while ((number /= 10) > 0);
	out_bytes(out, at, (size_t)(end - at));
}

void words_write(struct out *out, const char *front, const struct words_field *fields,
		 unsigned count, const void *record)
{
	out_bytes(out, front, strlen(front));
	for (const struct words_field *field = fields; field < fields + count; field++) {
		const void *place = (const char *)record + field->at;
		const struct timespec *time = place;
		if (front[0] || field > fields)
			out_bytes(out, " ", 1);
		if (field->form == WORDS_NUMBER) {
			put_number(out, field->size == sizeof(unsigned) ? *(const unsigned *)place
									: *(const uint64_t *)place);
		} else if (field->form == WORDS_TIME) {
			put_number(out, (unsigned long long)time->tv_sec);
			out_bytes(out, " ", 1);
			put_number(out, (unsigned long long)time->tv_nsec);
		} else {
			words_put(out, *(const char *const *)place);
		}
	}
	out_bytes(out, "\n", 1);
}

void words_write_kind(struct out *out, const struct words_kind *kind, const void *record)
{
	words_write(out, kind->word, kind->fields, kind->count, record);
}

void words_close(struct out *out)
{
	out_text(out, "sum %016" PRIx64 "\n", str_hash(out->text));
}
