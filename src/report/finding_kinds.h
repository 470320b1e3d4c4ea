// The table of findings: what each kind is called, how bad it is, and its words.
#pragma once

#include "report/findings.h"

enum severity { SEVERITY_NOTICE, SEVERITY_WARNING, SEVERITY_DANGER, SEVERITY_ERROR, SEVERITIES };

// In words and fixes %p, %d and %i stand for the path, the detail and what the fix needs, %f for
// the whole fix, and %l for the paths of all of them.
struct finding_row {
	const char *word; // in JSON
	enum severity severity;
	const char *words; // for people
	const char *agent; // for a model: NULL: the same; "": nothing
	const char *fix;   // a flag or a command, or NULL
	const char *more;  // what "and 3 more such" is followed by; NULL: "line"
	const char *see;   // and after that
	unsigned joined;   // one line names as many paths; 0: a line for each
};

extern const struct finding_row finding_rows[FINDING_KINDS];
extern const char *const severity_words[SEVERITIES];
