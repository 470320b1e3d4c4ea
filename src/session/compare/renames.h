// Which added file was a removed one before.
#pragma once

struct changes;
struct held;
struct store;

// Fills `renamed` and clears conflicts that a moved file only seems to have.
void renames_find(struct store *store, const struct held *held, struct changes *changes);
