// Owns numbers with units. Pure.
#include "base/units.h"

#include <string.h>

#include "base/str.h"

struct unit {
	const char *suffix;
	uint64_t factor;
};

static const struct unit sizes[] = {
	{ "K", 1ULL << 10 }, { "M", 1ULL << 20 }, { "G", 1ULL << 30 }, { "T", 1ULL << 40 }, { "", 1 },
};
static const struct unit times[] = {
	{ "ms", 1 }, { "s", 1000 }, { "m", 60000 }, { "h", 3600000 }, { "d", 86400000 },
};

static bool with_unit(const char *text, const struct unit *units, size_t count, uint64_t *ret)
{
	size_t digits = strspn(text, "0123456789");
	unsigned long long number;
	if (str_equal(text, "unlimited")) {
		*ret = UNLIMITED;
		return true;
	}
	for (size_t i = 0; i < count; i++) {
		if (!str_equal(text + digits, units[i].suffix))
			continue;
		if (!str_number(text, digits, 0, (UNLIMITED - 1) / units[i].factor, &number))
			return false;
		*ret = number * units[i].factor;
		return true;
	}
	return false;
}

bool units_size(const char *text, uint64_t *ret_bytes)
{
	return with_unit(text, sizes, sizeof(sizes) / sizeof(*sizes), ret_bytes);
}

bool units_time(const char *text, uint64_t *ret_milliseconds)
{
	return with_unit(text, times, sizeof(times) / sizeof(*times), ret_milliseconds);
}

bool units_count(const char *text, uint64_t *ret)
{
	static const struct unit plain = { "", 1 };
	return with_unit(text, &plain, 1, ret);
}
