// Findings in words.
#pragma once

struct reported;
struct findings;
struct out;

// A model reads the words of the table's column `agent`, where a row has them.
enum reader { READER_PERSON, READER_AGENT };

// A line or more for each kind, the worst first. Of a kind at most 8 lines are shown, or about
// 1,200 bytes, and a line says how many more there were.
void findings_text(const struct findings *findings, enum reader reader, struct out *out);
// The flag or command that the kind's row names.
void finding_fix(const struct reported *finding, struct out *out);
