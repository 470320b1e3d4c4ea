// Fills the list of wishes.
#pragma once

struct wishes;

// Reads the host's file system, opens nothing but git's own pointers.
int gather_wishes(struct wishes *wishes);
