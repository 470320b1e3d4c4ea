// Owns the list of a run's denials.
#include "report/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
	*denial = (struct denial){ .verb = "blocked", .count = 1 };
	snprintf(denial->kind, sizeof(denial->kind), "%s", kind);
	snprintf(denial->what, sizeof(denial->what), "%s", what);
	snprintf(denial->why, sizeof(denial->why), "%s", why);
	snprintf(denial->program, sizeof(denial->program), "%s",
		 str_visible(program) ? program : "?");
	return denial;
}

bool denials_are_alike(const struct denial *one, const struct denial *other)
{
	return str_equal(one->kind, "write") && str_equal(other->kind, "write") && one->flag[0] &&
	       str_equal(one->value, other->value) && str_equal(one->why, other->why);
}

void denials_join(const struct denials *denials, struct denial *denial)
{
	for (const struct denial *other = denials->all; other < denial; other++)
		denial->joined = denial->joined || denials_are_alike(other, denial);
}

void denials_silence(struct denials *denials)
{
	enum { SILENT_MAX = 2 };
	unsigned count = 0;
	for (unsigned i = 0; i < denials->count; i++) {
		struct denial *denial = &denials->all[i];
		bool fits = denial->update_check && count + denial->count <= SILENT_MAX;
		denial->silent = (fits || denial->on_failure) && !denial->shown;
		count += fits ? denial->count : 0;
	}
}

void denials_free(struct denials *denials)
{
	free(denials->all);
	*denials = (struct denials){ 0 };
}

void denials_take(struct denials *denials, const struct denial *denial)
{
	struct denial *ours = denials_add(denials, denial->kind, denial->what, denial->why, "");
	if (!ours)
		return;
	*ours = *denial;
	ours->count = 1;
	denials_join(denials, ours);
}
