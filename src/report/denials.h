// What a run was refused, each once: for people, programs and models. Not for use after clone.
//
// The room report owns what a run ends with: denials and findings, and their words on the
// terminal and as events. Uses: base limits nouns outside policy. Begin with findings.h.
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum { DENIALS_MAX = 256, DENIAL_TEXT = 512 };

struct denial {
	const char *kind; // "connect", "read", "write", "execute"
	const char *verb; // "blocked", or "could not reach"
	const char *flag; // that would allow it, of policy/keys.h; NULL: none does
	unsigned count;
	bool update_check; // of a program that only asks for its own newest version
	bool silent;       // the report for people and models leaves it out
	unsigned shown;    // `count` at the time when a line was shown during the run; 0: none was
	char what[DENIAL_TEXT]; // name, port or path
	char program[32];       // "": unknown
	char why[DENIAL_TEXT];
	char rule[DENIAL_TEXT];  // the line that decides, or ""
	char value[DENIAL_TEXT]; // of the flag
};

struct denials {
	struct denial *all;
	unsigned count;
	uint64_t lost; // that are not listed singly: all that came after DENIALS_MAX
};

// A new one, or NULL when the same is there already (counted once more) or none fits. Texts that do
// not fit are cut. `what` and `kind` tell one from another.
struct denial *denials_add(struct denials *denials, const char *kind, const char *what,
			   const char *program);
// Of a run that succeeded: checks for updates are silent, while they are two refusals at most.
void denials_silence(struct denials *denials);
void denials_free(struct denials *denials);
