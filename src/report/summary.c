// Owns the words and JSON keys at the end of a run: refusals, findings, figures.
#include "report/summary.h"

#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "limits/group.h"
#include "plan.h"
#include "policy/find.h"
#include "policy/keys.h"
#include "report/print_fields.h"
#include "report/findings.h"
#include "run.h"

static const struct key *key_of(const struct denial *denial)
{
	return key_find_flag(VERB_RUN, denial->flag, strlen(denial->flag));
}

// Returns the group that lists the host (profiles/groups.ini), or the value itself.
static const char *flag_value(const struct denial *denial)
{
	const char *group = str_equal(denial->kind, "connect") && denial->flag[0] &&
					    str_equal(denial->what, denial->value)
				    ? groups_find(denial->value)
				    : NULL;
	return group ? group : denial->value;
}

static const char *what_of(const struct denial *denial)
{
	static const char *const words[][2] = {
		{ "write", "writing " },
		{ "read", "reading " },
		{ "execute", "running " },
		{ "signature", "a signature for " },
	};
	for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (str_equal(denial->kind, words[i][0]))
			return words[i][1];
	return "";
}

static void put_denial_head(const struct denial *denial, const struct denials *denials,
			    struct out *out)
{
	enum { OTHERS_NAMED = 2 };
	const struct denial *end = denials ? denials->all + denials->count : denial;
	size_t most = out->marks ? NAME_MOST : SIZE_MAX;
	unsigned others = 0;
	out_text(out, "sbx: %s %s", denial->verb, what_of(denial));
	findings_name(denial->what, most, out);
	for (const struct denial *other = denial + 1; other < end; other++) {
		bool named = other->joined && denials_are_alike(denial, other);
		if (named && others++ < OTHERS_NAMED) {
			out_text(out, ", ");
			findings_name(other->what, most, out);
		}
	}
	if (others > OTHERS_NAMED)
		out_text(out, " and %u more", others - OTHERS_NAMED);
	if (denial->program[0])
		out_text(out, " (%s)", denial->program);
	if (denial->count > 1 && others == 0)
		out_text(out, ", %u times", denial->count);
	out_text(out, ": %s", denial->why);
	if (denial->rule[0])
		out_text(out, " (%s)", denial->rule);
}

// True for the first LISTED_OF_A_KIND. At the next puts the number of the rest. `all`: also denials
// shown during the run.
static bool is_listed(const struct denials *denials, unsigned index, bool all, struct out *out)
{
	enum { LISTED_OF_A_KIND = 8 };
	unsigned before = 0, rest = 0;
	for (unsigned i = 0; i < denials->count; i++) {
		const struct denial *other = &denials->all[i];
		bool same = (all || !other->shown) && !other->silent && !other->joined &&
			    str_equal(other->kind, denials->all[index].kind);
		before += same && i < index;
		rest += same && i >= index;
	}
	out_text(out, out->marks && before == 0 ? "\f" : "");
	if (before == LISTED_OF_A_KIND)
		out_text(out,
			 "sbx: %u more refusals (%s) are counted here only; to list them: --report "
			 "json\n",
			 rest, denials->all[index].kind);
	return before < LISTED_OF_A_KIND;
}

static void put_line(const struct plan *plan, pid_t live, const struct denial *denial,
		     const struct denials *denials, struct out *out)
{
	const struct key *key = key_of(denial);
	put_denial_head(denial, denials, out);
	bool now = live && str_equal(denial->flag, "allow");
	if (now)
		out_text(out, "; to allow: sbx allow %d %s", live, flag_value(denial));
	if (denial->flag[0] && (plan || !now))
		out_text(out, "; to allow%s: --%s %s", live ? " in the next run" : "", denial->flag,
			 flag_value(denial));
	unsigned line = key && plan ? trust_waits(&plan->warnings, key->name, denial->value) : 0;
	if (line)
		out_text(out, " (.sbx.ini:%u allows it when you trust it: sbx profile trust)",
			 line);
	out_text(out, "\n");
}

void denied_line(const struct plan *plan, pid_t live, const struct denial *denial, struct out *out)
{
	put_line(plan, live, denial, NULL, out);
}

// Suggests a command that adds the line to the run's last profile.
static void add_line(const struct plan *plan, const struct key *key, const char *value,
		     struct out *out)
{
	struct arena *arena = arena_new();
	const char *name = quote_fix(arena, plan->profile_name);
	const char *line =
		quote_fix(arena, arena_text(arena, "[%s] %s = %s", key->section, key->name, value));
	if (line && name)
		out_text(out, "; the user could allow it: sbx profile add %s", line);
	if (line && name && !str_equal(name, "default"))
		out_text(out, " -p %s", name);
	arena_free(arena);
}

void denied_text(const struct plan *plan, pid_t live, const struct denials *denials,
		 enum reader reader, struct out *out)
{
	unsigned shown = 0;
	unsigned long long times = 0, more = 0,
			   lost = denials->lost -
				  (reader == READER_AUDIT ? 0 : denials->lost_writes);
	for (unsigned i = 0; i < denials->count; i++) {
		const struct denial *denial = &denials->all[i];
		const struct key *key = reader == READER_AGENT ? key_of(denial) : NULL;
		if ((reader != READER_AUDIT && denial->silent) || denial->joined)
			continue;
		if (reader == READER_PERSON && denial->shown) {
			shown++;
			times += denial->count;
			more += denial->count - denial->shown;
		} else if (reader != READER_AUDIT &&
			   !is_listed(denials, i, reader == READER_AGENT, out)) {
			continue;
		} else if (reader != READER_AGENT) {
			put_line(plan, live, denial, denials, out);
		} else {
			put_denial_head(denial, denials, out);
			if (key)
				add_line(plan, key, flag_value(denial), out);
			out_text(out, "\n");
		}
	}
	if (more)
		out_text(out, "sbx: what is reported above as blocked (%u) was tried %llu times\n",
			 shown, times);
	if (lost)
		out_text(out, "sbx: %llu more refusals are not listed singly\n", lost);
}

bool denied_can_be_allowed(const struct denials *denials)
{
	bool any = false;
	for (unsigned i = 0; i < denials->count; i++)
		any = any || key_of(&denials->all[i]);
	return any;
}

void denied_members(const struct denial *denial, struct out *out)
{
	const struct key *key = key_of(denial);
	out->json = true;
	print_members(out, MEMBER("kind", denial->kind), MEMBER("what", denial->what),
		      MEMBER("program", denial->program), MEMBER("why", denial->why),
		      MEMBER("rule", denial->rule), MEMBER("flag", key ? key->flag : NULL),
		      MEMBER("section", key ? key->section : NULL),
		      MEMBER("key", key ? key->name : NULL),
		      MEMBER("value", key ? flag_value(denial) : NULL));
}

void denied_json(const struct denials *denials, struct out *out)
{
	json_open(out, "denied", '[');
	for (unsigned i = 0; i < denials->count; i++) {
		json_open(out, NULL, '{');
		denied_members(&denials->all[i], out);
		json_number(out, "count", denials->all[i].count);
		json_close(out, '}');
	}
	json_close(out, ']');
	json_number(out, "denied_more", denials->lost);
}

static enum unit unit_of(const char *key)
{
	if (str_equal(key, "timeout"))
		return UNIT_TIME;
	return str_equal(key, "pids") || str_equal(key, "open-files") ? UNIT_COUNT : UNIT_SIZE;
}

static void put_hit(const struct hit *hit, bool for_model, struct out *out)
{
	char limit[32];
	out_text(out, out->marks ? "\f" : "");
	if (hit->of_machine) {
		out_text(out, "sbx: %s\n", hit->what);
		return;
	}
	units_text(limit, sizeof(limit), hit->limit, unit_of(hit->key));
	out_text(out, "sbx: limit %s=%s", hit->key, limit);
	out_text(out, hit->otherwise ? ": %s; %s" : ": %s", hit->what, hit->otherwise);
	out_text(out,
		 for_model ? "; the user could raise it: [limits] %s\n" : "; raise it with --%s\n",
		 hit->key);
}

static void say_denials(const struct saying *saying, struct out *out)
{
	if (!saying->plan->learn)
		denied_text(saying->plan, 0, &saying->outcome->denials, saying->reader, out);
}

static void say_hits(const struct saying *saying, struct out *out)
{
	for (int i = 0; i < saying->count; i++)
		put_hit(&saying->hits[i], saying->reader == READER_AGENT, out);
}

void summary_all(const struct saying *saying, struct out *out)
{
	say_denials(saying, out);
	findings_text(&saying->outcome->found, saying->reader, out);
	say_hits(saying, out);
	findings_text(&saying->outcome->failure, saying->reader, out);
}

static void say_worst_first(const struct saying *saying, struct out *out)
{
	const struct findings *found = &saying->outcome->found;
	findings_severe(&saying->outcome->failure, 1U << SEVERITY_ERROR, saying->reader, out);
	findings_severe(found, 1U << SEVERITY_DANGER | 1U << SEVERITY_WARNING, saying->reader, out);
	say_hits(saying, out);
	say_denials(saying, out);
	findings_severe(found, 1U << SEVERITY_NOTICE, saying->reader, out);
	findings_severe(&saying->outcome->failure, 1U << SEVERITY_NOTICE, saying->reader, out);
}

void summary_brief(const struct saying *saying, struct out *out)
{
	struct out worst = { .marks = true };
	unsigned lines = saying->status == 0 ? SCREEN_LINES : BRIEF_LINES;
	say_worst_first(saying, &worst);
	bool cut = worst.used > 0 && findings_brief(worst.text, (unsigned)getpid(), lines, out);
	out_free(&worst);
	if (!cut)
		summary_all(saying, out);
}

static void part(struct out *out, uint64_t number, enum unit unit, const char *what)
{
	char text[32];
	if (number == 0)
		return;
	units_rough(text, sizeof(text), number, unit);
	out_text(out, " %s%s,", text, what);
}

void summary_usage(const struct saying *saying, struct out *out)
{
	const struct usage *usage = &saying->run->group->usage;
	bool exact = saying->plan->keeping.means != MEANS_RLIMITS;
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

const char *summary_end(const struct outcome *outcome)
{
	switch (outcome->kind) {
	case OUTCOME_INIT_KILLED:
	case OUTCOME_ENDED:
		return WIFSIGNALED(outcome->status) ? "signal" : "exit";
	case OUTCOME_STOPPED:
		return "limit";
	case OUTCOME_FAILED:
	case OUTCOME_NO_EXEC:
	case OUTCOME_INIT_VANISHED:
	case OUTCOME_HOST_FAILED:
		break;
	}
	return "failed";
}

void hits_json(const struct hit *hits, int count, struct out *out)
{
	json_open(out, "limits", '[');
	for (const struct hit *hit = hits; hit < hits + count; hit++)
		print_one(out, MEMBER("name", hit->key), MEMBER_NUMBER("limit", hit->limit),
			  MEMBER("what", hit->what));
	json_close(out, ']');
}

void summary_json(const struct saying *saying, struct out *out)
{
	const struct plan *plan = saying->plan;
	const struct usage *usage = &saying->run->group->usage;
	bool sent = usage->sent || usage->received;
	out->json = true;
	print_begin(out, "report", NULL);
	print_members(out, MEMBER("end", summary_end(saying->outcome)),
		      MEMBER_NUMBER("status", (unsigned)saying->status),
		      MEMBER_NUMBER("wall_ms", usage->wall),
		      MEMBER_NUMBER("cpu_ms", usage->cpu / 1000),
		      MEMBER_NUMBER("memory_peak", usage->memory),
		      MEMBER_FLAG("memory_of_all", plan->keeping.means != MEANS_RLIMITS),
		      NUMBER_IF(usage->pids, "pids_peak", usage->pids),
		      MEMBER_NUMBER("bytes_read", usage->read),
		      MEMBER_NUMBER("bytes_written", usage->written),
		      NUMBER_IF(sent, "bytes_sent", usage->sent),
		      NUMBER_IF(sent, "bytes_received", usage->received),
		      MEMBER_NUMBER("throttled_ms", usage->throttled / 1000),
		      MEMBER("kept_by", means_text(plan)));
	hits_json(saying->hits, saying->count, out);
	denied_json(&saying->outcome->denials, out);
	json_open(out, "findings", '[');
	findings_json(&saying->outcome->found, out);
	findings_json(&saying->outcome->failure, out);
	json_close(out, ']');
	json_end(out);
}
