// Owns the list of a run's denials.
#include "report/findings.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

struct denial *denials_add(struct denials *denials, const char *kind, const char *what,
			   const char *why, const char *program)
{
	for (unsigned i = 0; i < denials->count; i++) {
		struct denial *known = &denials->all[i];
		if (!str_equal(known->kind, kind) || !str_equal(known->what, what) ||
		    !str_equal(known->why, why))
			continue;
		known->count++;
		return NULL;
	}
	if (denials->count == DENIALS_MAX) {
		denials->lost++;
		return NULL;
	}
	if (!denials->all)
		denials->all = calloc(DENIALS_MAX, sizeof(*denials->all));
	if (!denials->all)
		abort();
	struct denial *denial = &denials->all[denials->count++];
	*denial = (struct denial){ .kind = kind, .verb = "blocked", .count = 1 };
	snprintf(denial->what, sizeof(denial->what), "%s", what);
	snprintf(denial->why, sizeof(denial->why), "%s", why);
	snprintf(denial->program, sizeof(denial->program), "%s",
		 str_visible(program) ? program : "?");
	return denial;
}

void denials_silence(struct denials *denials)
{
	enum { SILENT_MAX = 2 };
	unsigned count = 0;
	for (unsigned i = 0; i < denials->count; i++) {
		struct denial *denial = &denials->all[i];
		bool fits = denial->update_check && count + denial->count <= SILENT_MAX;
		denial->silent = fits && !denial->shown;
		count += fits ? denial->count : 0;
	}
}

void denials_free(struct denials *denials)
{
	free(denials->all);
	*denials = (struct denials){ 0 };
}
