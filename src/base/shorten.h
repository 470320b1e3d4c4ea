// Lines for people that a hostile tree can multiply: of a kind the first are shown. Pure.
#pragma once

struct out;

// Of lines of one kind at most 8 stay, or about 1,200 bytes of them, and a line says how many more
// there were. The worst come first. What is over 32 KiB then is cut at the mildest end, and that is
// said. Lines are of one kind when they end alike, numbers apart.
void shorten_lines(struct out *out);
