// The words of a question on a terminal. Pure.
#pragma once

#include <stdbool.h>

struct host_question;
struct out;

enum {
	QUESTION_LIST_MAX = 20,  // hosts in one list
	QUESTION_WHOLE_MAX = 90, // characters of a host and port; a longer one is cut
};

// Whether the host is shown whole.
bool question_is_whole(const struct host_question *question);
// One question, or a list of those that are marked as shown; `letters` are what may be answered.
// `resets`: first what undoes that a box made text invisible.
void question_text(const struct host_question *const *all, unsigned count, const char *letters,
		   unsigned seconds, bool resets, struct out *out);
