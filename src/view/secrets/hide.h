// What the box must not read, whatever else says otherwise.
//
// The room view/secrets owns what is hidden from a box: secrets by name, by content and by git's
// index. Uses: base env git nouns text trees view/paths. Begin with hide.c.
#pragma once

struct wishes;

// After all other wishes.
int hide_plan(struct wishes *wishes);
