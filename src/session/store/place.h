// Where a root of a session lies in a layer.
#pragma once

#include <stdbool.h>

// "ID/3" over a directory of the host, "ID/own/3" over nothing: all of these are one overlay.
enum { PLACE_MAX = 64 };
void place_of_root(char text[PLACE_MAX], const char *id, bool own, unsigned root);

// What overlayfs works in: "ID/w3", "ID/wown".
void place_of_work(char text[PLACE_MAX], const char *id, bool own, unsigned root);
#define PLACE_OWN "own"
