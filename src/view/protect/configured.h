// What git's configuration names in what the box can write (git/gitnamed.h): kept from it as git's
// own directory is.
#pragma once

struct wishes;

// After all other walls: what one of them keeps already needs no second. `wishes->named` and
// `wishes->tops` are there.
int configured_protect(struct wishes *wishes);
