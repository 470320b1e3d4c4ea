// Owns numbers with units. Pure.
#include "base/base.h"

#include <stdio.h>
#include <string.h>

struct unit_suffix {
	const char *suffix;
	uint64_t factor;
};

static const struct unit_suffix sizes[] = {
	{ "", 1 },           { "K", 1ULL << 10 }, { "M", 1ULL << 20 },
	{ "G", 1ULL << 30 }, { "T", 1ULL << 40 },
};
static const struct unit_suffix times[] = {
	{ "ms", 1 },      { "s", 1000 },     { "m", 60000 },
	{ "h", 3600000 }, { "d", 86400000 }, { "", 1000 },
};

enum { DIGITS_MAX = 3 };

static size_t read_part(const char *text, unsigned long long *ret_part)
{
	unsigned long long part = 0;
	size_t digits = text[0] == '.' ? strspn(text + 1, "0123456789") : 0;
	if (digits > DIGITS_MAX || !str_number(text + 1, digits, 0, 999, &part))
		return 0;
	for (size_t i = digits; i < DIGITS_MAX; i++)
		part *= 10;
	*ret_part = part;
	return digits + 1;
}

static bool scaled(const char *text, size_t digits, uint64_t factor, unsigned long long part,
		   uint64_t *ret)
{
	unsigned long long number;
	if (part && factor < 1000)
		return false;
	if (!str_number(text, digits, 0, (UNLIMITED - 1) / factor - (part ? 1 : 0), &number))
		return false;
	*ret = number * factor + factor / 1000 * part + factor % 1000 * part / 1000;
	return true;
}

static bool with_unit(const char *text, const struct unit_suffix *units, size_t count,
		      uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long long part = 0;
	if (str_equal(text, "unlimited")) {
		*ret = UNLIMITED;
		return true;
	}
	const char *unit = text + digits + read_part(text + digits, &part);
	for (size_t i = 0; i < count; i++)
		if (str_equal(unit, units[i].suffix))
			return scaled(text, digits, units[i].factor, part, ret);
	return false;
}

bool units_size(const char *text, uint64_t *ret_bytes)
{
	char plain[32];
	size_t length = strlen(text), digits = strspn(text, "0123456789.");
	if (length >= sizeof(plain) || str_equal(text, "unlimited"))
		return with_unit(text, sizes, sizeof(sizes) / sizeof(*sizes), ret_bytes);
	memcpy(plain, text, length + 1);
	for (char *at = plain + digits; *at; at++)
		*at = *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at;
	if (str_ends(plain + digits, "B"))
		plain[--length] = '\0';
	if (length > digits + 1 && str_ends(plain + digits, "I"))
		plain[--length] = '\0';
	return with_unit(plain, sizes, sizeof(sizes) / sizeof(*sizes), ret_bytes);
}

// A number without a unit is in seconds, as in timeout(1).
bool units_time(const char *text, uint64_t *ret_milliseconds)
{
	return with_unit(text, times, sizeof(times) / sizeof(*times), ret_milliseconds);
}

bool units_count(const char *text, uint64_t *ret)
{
	static const struct unit_suffix plain = { "", 1 };
	return with_unit(text, &plain, 1, ret);
}

bool units_processors(const char *text, uint64_t *ret_thousandths)
{
	static const struct unit_suffix thousandths = { "", 1000 };
	return with_unit(text, &thousandths, 1, ret_thousandths);
}

bool units_percent(const char *text, uint64_t *ret_percent)
{
	unsigned long long number;
	size_t digits = strspn(text, "0123456789");
	if (!str_equal(text + digits, "%") || !str_number(text, digits, 1, 100, &number))
		return false;
	*ret_percent = number;
	return true;
}

enum { SIZE_LAST = 4, TIME_LAST = 3 };

void units_text(char *buffer, size_t size, uint64_t number, enum unit unit)
{
	const struct unit_suffix *row = unit == UNIT_SIZE ? sizes : times;
	const struct unit_suffix *last = row + (unit == UNIT_SIZE ? SIZE_LAST : TIME_LAST);
	unsigned long long plain = number;
	if (number == UNLIMITED) {
		snprintf(buffer, size, "unlimited");
	} else if (unit == UNIT_PROCESSORS) {
		snprintf(buffer, size, "%llu.%03llu", plain / 1000, plain % 1000);
		size_t end = strlen(buffer);
		while (buffer[end - 1] == '0')
			end--;
		buffer[buffer[end - 1] == '.' ? end - 1 : end] = '\0';
	} else if (unit == UNIT_COUNT) {
		snprintf(buffer, size, "%llu", plain);
	} else {
		while (plain && row < last && plain % row[1].factor == 0)
			row++;
		snprintf(buffer, size, "%llu%s", plain / row->factor, row->suffix);
	}
}

void units_rough(char *buffer, size_t size, uint64_t number, enum unit unit)
{
	const struct unit_suffix *row = sizes;
	if (unit == UNIT_TIME) {
		snprintf(buffer, size, "%.3f s", (double)number / 1000);
		return;
	}
	while (unit == UNIT_SIZE && row < sizes + SIZE_LAST && number >= row[1].factor)
		row++;
	double value = (double)number / (double)row->factor;
	snprintf(buffer, size, row == sizes || value >= 100 ? "%.0f%s" : "%.1f%s", value,
		 row->suffix);
}

void units_age(char *buffer, size_t size, uint64_t milliseconds)
{
	static const struct {
		uint64_t seconds;
		char suffix;
	} units[] = { { 1, 's' }, { 60, 'm' }, { 3600, 'h' }, { 24 * 3600, 'd' } };
	uint64_t seconds = milliseconds / 1000;
	size_t unit = 0;
	while (unit + 1 < sizeof(units) / sizeof(*units) && seconds >= 2 * units[unit + 1].seconds)
		unit++;
	snprintf(buffer, size, "%llu%c", (unsigned long long)(seconds / units[unit].seconds),
		 units[unit].suffix);
}
