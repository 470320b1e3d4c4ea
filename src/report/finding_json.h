// Findings as JSON.
#pragma once

struct findings;
struct out;

// The members of a list that is open. Where there are more of a kind than FINDING_RECORDS_MAX, a
// last one without a path has their number.
void findings_json(const struct findings *findings, struct out *out);
