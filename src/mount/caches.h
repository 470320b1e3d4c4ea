// The directories that a project's boxes keep between runs.
#pragma once

struct plan;

// Host side, before the first of them is opened: what version 0.1.0 kept for this project is taken
// over.
void caches_adopt(const struct plan *plan);
