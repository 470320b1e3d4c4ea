// sbx audit: the connections of past and present runs, for people or as they were written.
#include <fcntl.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "report/print_fields.h"
#include "run/run_command.h"
#include "cli/verbs.h"
#include "net/host/destinations.h"
#include "postcheck/acts/check.h"
#include "text/destination.h"

extern char **environ;

// Selects lines. NULL or "" selects all.
struct wanted {
	const char *run, *project; // escaped, as in the log's lines
	char since[32];            // escaped, too
	bool denied, to_host;
	struct destination host;
};

// A value of a line: a string without its quotes, still escaped.
struct logged {
	const char *text;
	int length;
};

// `line` is from audit_write(): no nesting, strings escaped.
static struct logged field_of(const char *line, const char *key)
{
	char wanted[32];
	snprintf(wanted, sizeof(wanted), "\"%s\":", key);
	const char *at = strstr(line, wanted);
	if (!at)
		return (struct logged){ "", 0 };
	at += strlen(wanted);
	if (*at != '"')
		return (struct logged){ at, (int)strcspn(at, ",}") };
	const char *end = ++at;
	while (*end && *end != '"')
		end += end[0] == '\\' && end[1] ? 2 : 1;
	return (struct logged){ at, (int)(end - at) };
}

static bool field_is(struct logged field, const char *text)
{
	return (int)strlen(text) == field.length && memcmp(field.text, text, strlen(text)) == 0;
}

static uint64_t number_of(struct logged field)
{
	unsigned long long number = 0;
	str_number(field.text, (size_t)field.length, 0, UINT64_MAX, &number);
	return number;
}

static bool is_report(const char *line)
{
	return field_is(field_of(line, "form"), "reported");
}

static bool leads_to(const struct destination *destination, const char *line, const char *key)
{
	struct host host;
	struct logged name = field_of(line, key);
	return name.length > 0 && host_parse(name.text, (size_t)name.length, &host) &&
	       destination_matches(destination, &host, (uint16_t)number_of(field_of(line, "port")));
}

// True for a line of the wanted directory, one below it, or the project around it.
static bool is_of_project(const struct wanted *wanted, const char *line)
{
	char project[PATH_MAX];
	struct logged field = field_of(line, "project");
	if (field.length == 0 || field.length >= (int)sizeof(project))
		return false;
	memcpy(project, field.text, (size_t)field.length);
	project[field.length] = '\0';
	return path_within(project, wanted->project) || path_within(wanted->project, project);
}

static bool is_wanted(const struct wanted *wanted, const char *line)
{
	struct logged time = field_of(line, "time");
	if (!wanted->run && is_report(line))
		return false;
	if (wanted->run && !field_is(field_of(line, "run"), wanted->run))
		return false;
	if (wanted->denied && !field_is(field_of(line, "verdict"), "denied"))
		return false;
	if (wanted->since[0] &&
	    (time.length == 0 || strncmp(time.text, wanted->since, strlen(wanted->since)) < 0))
		return false;
	if (wanted->to_host && !leads_to(&wanted->host, line, "name") &&
	    !leads_to(&wanted->host, line, "address"))
		return false;
	return !wanted->project || is_of_project(wanted, line);
}

static const char *json_escaped(struct arena *arena, const char *text)
{
	struct out out = { 0 };
	json_string(&out, NULL, text);
	const char *copy = arena_copy(arena, out.text + 1, out.used - 2);
	out_free(&out);
	return copy;
}

static int read_wishes(const struct box *box, struct wanted *ret_wanted)
{
	const struct invocation *asked = &box->invocation;
	const char *word = box->arguments.rest[0],
		   *run = asked->logged_run ? asked->logged_run : word;
	unsigned long long number;
	char real[PATH_MAX];
	*ret_wanted = (struct wanted){ .run = run, .denied = asked->denied == TOGGLE_YES };
	if (run && !str_number(run, strlen(run), 1, INT_MAX, &number))
		return fail(0, "'%.40s' is not a run; the numbers of runs are in: sbx audit",
			    str_shown(run));
	if (word && (box->arguments.rest[1] || asked->logged_run))
		return fail(0, "audit takes one run");
	if (asked->logged_host) {
		ret_wanted->to_host = true;
		if (!destination_parse(asked->logged_host, &ret_wanted->host))
			return fail(0, "--host takes a host, not a group");
	}
	if (asked->logged_project) {
		if (!realpath(asked->logged_project, real))
			return fail(errno, "--project: '%s'", str_shown(asked->logged_project));
		ret_wanted->project = json_escaped(box->arena, real);
	}
	time_t now = time(NULL);
	if (asked->since && asked->since / 1000 < (uint64_t)now) {
		struct tm date;
		time_t then = now - (time_t)(asked->since / 1000);
		gmtime_r(&then, &date);
		strftime(ret_wanted->since, sizeof(ret_wanted->since), "%Y-%m-%dT%H:%M:%S", &date);
	}
	return 0;
}

// Numbers come first: a name can have any length and holds blanks.
#define ROW_FORM "%-20s %-7.*s %-7.*s %5.*s %6s %8s "

static void amount(struct logged field, char text[32])
{
	uint64_t number = number_of(field);
	text[0] = '-';
	text[1] = '\0';
	if (number)
		units_rough(text, 32, number, UNIT_SIZE);
}

static void show_text(struct out *out, const char *line)
{
	struct logged text = field_of(line, "text");
	for (const char *byte = text.text; byte < text.text + text.length; byte++) {
		byte += byte[0] == '\\' && (byte[1] == '"' || byte[1] == '\\');
		out_bytes(out, byte, 1);
	}
	out_text(out, "\n");
}

static void show_line(struct out *out, const char *line)
{
	char up[32], down[32], time[32];
	struct logged run = field_of(line, "run"), verdict = field_of(line, "verdict");
	struct logged count = field_of(line, "connections"), name = field_of(line, "name");
	struct logged program = field_of(line, "program"), why = field_of(line, "why");
	struct logged port = field_of(line, "port"), at = field_of(line, "time");
	if (is_report(line)) {
		verdict = (struct logged){ "reported", 8 };
		count = (struct logged){ "-", 1 };
	}
	amount(field_of(line, "up"), up);
	amount(field_of(line, "down"), down);
	snprintf(time, sizeof(time), "%.*sZ", at.length < 19 ? at.length : 19, at.text);
	out_text(out, ROW_FORM, time, run.length, run.text, verdict.length, verdict.text,
		 count.length, count.text, up, down);
	if (is_report(line)) {
		show_text(out, line);
		return;
	}
	// A line that counts several connections has no destination.
	if (name.length)
		out_text(out, number_of(port) ? "%.*s:%.*s" : "%.*s", name.length, name.text,
			 port.length, port.text);
	else
		out_text(out, "others");
	if (program.length)
		out_text(out, " (%.*s)", program.length, program.text);
	if (why.length)
		out_text(out, ": %.*s", why.length, why.text);
	out_text(out, "\n");
}

static int show_file(struct out *out, const char *path, const struct wanted *wanted)
{
	char *line = NULL;
	size_t size = 0;
	FILE *file = fopen(path, "re");
	int result = 0;
	if (!file)
		return errno == ENOENT ? 0 : fail(errno, "'%s'", path);
	while (result == 0 && getline(&line, &size, file) > 0) {
		if ((!str_printable(line) && !str_ends(line, "\n")) || !is_wanted(wanted, line))
			continue;
		if (out->json)
			out_text(out, "%s", line);
		else
			show_line(out, line);
		if (out->used > 1 << 20)
			result = out_flush(out, STDOUT_FILENO);
	}
	free(line);
	fclose(file);
	return result;
}

static int list_logs(struct arena *arena, const char *directory, char ***ret_names)
{
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? 0 : fail(errno, "'%s'", directory);
	int kept = 0, count = names_in(arena, fd, ret_names);
	for (int i = 0; i < count; i++)
		if (str_ends((*ret_names)[i], AUDIT_SUFFIX))
			(*ret_names)[kept++] = (*ret_names)[i];
	return count < 0 ? -1 : kept;
}

// Groups the lines by run, the oldest first.
static int show_files(struct box *box, struct out *out)
{
	char **names;
	struct wanted wanted;
	struct out none = { 0 };
	TRY(read_wishes(box, &wanted));
	const char *state = decide_state_directory(box->arena, environ);
	const char *directory = arena_text(box->arena, "%s/" AUDIT_DIRECTORY, state);
	if (!out->json)
		out_text(out, ROW_FORM "DESTINATION (PROGRAM): REASON\n", "TIME", 7, "RUN", 7,
			 "VERDICT", 5, "COUNT", "SENT", "RECEIVED");
	const size_t head = out->used;
	int count = list_logs(box->arena, directory, &names);
	for (int i = 0; i < count; i++)
		TRY(show_file(out, path_below(box->arena, directory, names[i]), &wanted));
	if (wanted.run && out->used == head)
		out_text(&none, "sbx: the log has no such line of a run %s\n", wanted.run);
	out_flush(&none, STDERR_FILENO);
	return count < 0 ? -1 : 0;
}

// Returns how many lines of `file` belong to the project's last report.
static unsigned take_report(struct out *out, FILE *file, const struct wanted *wanted)
{
	char *line = NULL;
	size_t size = 0;
	unsigned count = 0;
	while (getline(&line, &size, file) > 0) {
		if (!is_report(line) || !is_of_project(wanted, line))
			continue;
		if (count++ == 0)
			out_text(out,
				 "the last run here that reported anything (run %.*s, %.19sZ); "
				 "later runs had nothing to report; to see more: sbx run --explain "
				 "-- COMMAND\n",
				 field_of(line, "run").length, field_of(line, "run").text,
				 field_of(line, "time").text);
		show_text(out, line);
	}
	free(line);
	return count;
}

unsigned audit_last(struct box *box, struct out *out)
{
	char **names;
	const char *project = box->plan.toplevel ? box->plan.toplevel : box->plan.current;
	struct wanted wanted = { .project = json_escaped(box->arena, project) };
	const char *directory = arena_text(box->arena, "%s/" AUDIT_DIRECTORY, box->plan.state);
	unsigned found = 0;
	for (int i = ATTEMPT(list_logs(box->arena, directory, &names)) - 1; i >= 0 && !found; i--) {
		FILE *file = fopen(path_below(box->arena, directory, names[i]), "re");
		found = file ? take_report(out, file, &wanted) : 0;
		if (file)
			fclose(file);
	}
	return found;
}

static int show_changed(struct box *box, struct out *out)
{
	struct unshown_line line;
	char real[PATH_MAX];
	box->plan.arena = box->arena;
	decide_places(&box->plan, environ);
	const char *asked = box->invocation.logged_project, *project = box->plan.toplevel;
	if (asked && !(project = realpath(asked, real)))
		return fail(errno, "--project: '%s'", str_shown(asked));
	const char *at = project ? unshown_text(box->arena, box->plan.state, project) : "";
	print_begin(out, "changed", "changed");
	while (unshown_next(box->arena, &at, &line))
		print_one(out, SHOWN("path", line.path, "", 0, ""),
			  MEMBER_FLAG("shown", line.state == 's'),
			  WORDS(line.state == 's' ? "\n" : "  (not shown to a person yet)\n"));
	print_end(out, "changed");
	return 0;
}

static int check_options(const struct box *box)
{
	const struct invocation *asked = &box->invocation;
	bool narrowed = asked->denied == TOGGLE_YES || asked->logged_host || asked->logged_run ||
			asked->since || box->arguments.rest[0];
	if (asked->changed == TOGGLE_YES && narrowed)
		return fail(0, "usage: sbx audit --changed [--project DIR] [--json]");
	return 0;
}

int verb_audit(char **words)
{
	struct box *box = box_new();
	if (box_read(box, VERB_AUDIT, words) < 0 || check_options(box) < 0)
		return box_failed();
	struct out out = { .json = box->invocation.json == TOGGLE_YES };
	bool changed = box->invocation.changed == TOGGLE_YES;
	return box_done(&out, changed ? show_changed(box, &out) : show_files(box, &out));
}
