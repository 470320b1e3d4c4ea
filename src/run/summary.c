// Owns the words and keys of a run's figures.
#include "run/summary.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/out.h"
#include "base/str.h"
#include "base/units.h"
#include "limits/group.h"
#include "limits/means.h"
#include "plan.h"
#include "run.h"
#include "run/denied.h"
#include "run/supervise.h"

// How a limit is written: those that are no sizes.
static enum unit unit_of(const char *key)
{
	if (str_equal(key, "time") || str_equal(key, "idle"))
		return UNIT_TIME;
	return str_equal(key, "pids") ? UNIT_COUNT : UNIT_SIZE;
}

void summary_hit(const struct plan *plan, const struct hit *hit, bool for_model, struct out *out)
{
	char limit[32];
	if (hit->of_machine) {
		out_text(out, "sbx: %s\n", hit->what);
		return;
	}
	units_text(limit, sizeof(limit), hit->limit, unit_of(hit->key));
	out_text(out, "sbx: limit %s=%s", hit->key, limit);
	if (plan->profile->pool && (str_equal(hit->key, "memory") || str_equal(hit->key, "pids")))
		out_text(out, " of pool '%s'", plan->profile->pool);
	out_text(out,
		 for_model ? ": %s; the user could raise it: [limits] %s\n"
			   : ": %s; raise it with --%s\n",
		 hit->what, hit->key);
}

static void part(struct out *out, uint64_t number, enum unit unit, const char *what)
{
	char text[32];
	if (number == 0)
		return;
	units_rough(text, sizeof(text), number, unit);
	out_text(out, " %s%s,", text, what);
}

void summary_text(const struct plan *plan, const struct usage *usage, struct out *out)
{
	bool exact = plan->keeping.means != MEANS_RLIMITS;
	out_text(out, "sbx: took");
	part(out, usage->wall ? usage->wall : 1, UNIT_TIME, "");
	part(out, usage->cpu / 1000, UNIT_TIME, " of processors");
	part(out, usage->memory, UNIT_SIZE,
	     exact ? " of memory" : " of memory in its largest process");
	part(out, usage->pids, UNIT_COUNT, " processes");
	part(out, usage->read, UNIT_SIZE, " read from disks");
	part(out, usage->written, UNIT_SIZE, " written");
	part(out, usage->sent, UNIT_SIZE, " sent");
	part(out, usage->received, UNIT_SIZE, " received");
	part(out, usage->throttled / 1000, UNIT_TIME, " of waiting for --cpu");
	out->text[out->used - 1] = '\n';
}

static const char *end_word(const struct outcome *outcome)
{
	switch (outcome->kind) {
	case OUTCOME_ENDED:
		return WIFSIGNALED(outcome->status) ? "signal" : "exit";
	case OUTCOME_STOPPED:
		return "limit";
	case OUTCOME_FAILED:
	case OUTCOME_NO_EXEC:
	case OUTCOME_LOST:
	case OUTCOME_BROKEN:
		break;
	}
	return "failed";
}

static void json_told(struct out *out, struct out *told)
{
	static const char prefix[] = "sbx: ";
	json_open(out, "told", '[');
	for (char *line = told->used ? strtok(told->text, "\n") : NULL; line;
	     line = strtok(NULL, "\n"))
		json_string(out, NULL, str_starts(line, prefix) ? line + strlen(prefix) : line);
	json_close(out, ']');
}

// Names with newlines between.
static void json_names(struct out *out, const char *key, const char *names)
{
	json_open(out, key, '[');
	for (const char *at = names; at && *at;) {
		char name[4096];
		size_t length = strcspn(at, "\n");
		snprintf(name, sizeof(name), "%.*s", (int)length, at);
		json_string(out, NULL, name);
		at += length + (at[length] == '\n');
	}
	json_close(out, ']');
}

void summary_json(const struct plan *plan, const struct run *run, const struct outcome *outcome,
		  int status, const struct hit *hits, int count, struct out *lines, struct out *out)
{
	const struct usage *usage = &run->group->usage;
	json_open(out, NULL, '{');
	json_string(out, "end", end_word(outcome));
	json_number(out, "status", (unsigned)status);
	json_number(out, "wall_ms", usage->wall);
	json_number(out, "cpu_ms", usage->cpu / 1000);
	json_number(out, "memory_peak", usage->memory);
	json_flag(out, "memory_of_all", plan->keeping.means != MEANS_RLIMITS);
	if (usage->pids)
		json_number(out, "pids_peak", usage->pids);
	json_number(out, "bytes_read", usage->read);
	json_number(out, "bytes_written", usage->written);
	if (usage->sent || usage->received) {
		json_number(out, "bytes_sent", usage->sent);
		json_number(out, "bytes_received", usage->received);
	}
	json_number(out, "throttled_ms", usage->throttled / 1000);
	json_string(out, "kept_by", means_text(plan));
	json_open(out, "limits", '[');
	for (int i = 0; i < count; i++) {
		json_open(out, NULL, '{');
		json_string(out, "name", hits[i].key);
		json_number(out, "limit", hits[i].limit);
		json_string(out, "what", hits[i].what);
		json_close(out, '}');
	}
	json_close(out, ']');
	denied_json(&outcome->denials, out);
	json_names(out, "changed", outcome->changed.text);
	json_told(out, lines);
	json_close(out, '}');
	out_text(out, "\n");
}
