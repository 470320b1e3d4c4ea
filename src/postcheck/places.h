// The directories that the look opens, one after the other: most names share one with those before.
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct check;

struct place {
	const char *path; // of one of the names, `length` bytes of it with the slash at the end
	size_t length;
	int fd, problem; // negative where it could not be opened, and why
	bool changed;    // a name came, went or was replaced in it
	bool reported;   // that nothing in it could be looked at
};
enum { PLACES_MAX = 4 };
struct check_places {
	struct place list[PLACES_MAX];
	unsigned count, next;
};

// Opened without following a link, and as long as no four others are asked for; errno is that of
// its problem. The path is kept by reference.
struct place *places_find(const struct check *check, struct check_places *places, const char *path,
			  size_t length);
// The directory of a name.
struct place *places_parent(const struct check *check, struct check_places *places,
			    const char *path);
void places_close(struct check_places *places);
