// What the box must not read, whatever else says otherwise.
#pragma once

struct wishes;

// After all other wishes.
int hide_plan(struct wishes *wishes);
