// Owns the list of a run's denials.
#include "report/findings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/base.h"

enum { CUT_AT = 15 }; // where the kernel cuts a program's name (TASK_COMM_LEN)

struct denial *denials_add(struct denials *denials, const char *kind, const char *what,
			   const char *why, const char *program)
{
	unsigned alike = 0;
	for (unsigned i = 0; i < denials->count; i++) {
		struct denial *known = &denials->all[i];
		if (!str_equal(known->kind, kind))
			continue;
		alike++;
		if (!str_equal(known->what, what) || !str_equal(known->why, why))
			continue;
		known->count++;
		return NULL;
	}
	if (alike >= DENIALS_MAX - denials->count) {
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
	// Cuts "npm install NAME", to which npm sets its name.
	int length = (int)(strlen(program) < CUT_AT ? CUT_AT : strcspn(program, " "));
	snprintf(denial->program, sizeof(denial->program), "%.*s", length,
		 str_visible(program) ? program : "?");
	return denial;
}

void denials_add_copy(struct denials *denials, const struct denial *denial)
{
	uint64_t lost = denials->lost;
	struct denial *ours = denials_add(denials, denial->kind, denial->what, denial->why, "");
	if (denial->on_failure)
		denials->lost_writes += denials->lost - lost;
	if (!ours)
		return;
	*ours = *denial;
}

bool denials_are_alike(const struct denial *one, const struct denial *other)
{
	return str_equal(one->kind, "write") && str_equal(other->kind, "write") && one->flag[0] &&
	       str_equal(one->value, other->value) && str_equal(one->why, other->why) &&
	       !one->shown && !other->shown;
}

void denials_close(struct denials *denials, bool succeeded)
{
	enum { SILENT_MAX = 2 };
	unsigned count = 0;
	denials->lost_writes *= succeeded;
	for (unsigned i = 0; i < denials->count; i++) {
		struct denial *denial = &denials->all[i];
		bool fits = denial->update_check && count + denial->count <= SILENT_MAX;
		denial->silent = succeeded && (fits || denial->on_failure) && !denial->shown;
		count += fits ? denial->count : 0;
		for (unsigned j = 0; j < i && !denial->joined; j++)
			denial->joined = denials_are_alike(&denials->all[j], denial);
	}
}

void denials_free(struct denials *denials)
{
	free(denials->all);
	*denials = (struct denials){ 0 };
}
