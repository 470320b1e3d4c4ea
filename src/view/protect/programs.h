// Directories of the caller's PATH that the box can write: each entry, by the links on its way, and
// relative ones by the project's top and the caller's directory.
#pragma once

struct homes;
struct wishes;

int programs_protect(struct wishes *wishes, const struct homes *homes);
