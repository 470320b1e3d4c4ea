// Owns the log's files and lines.
#include "net/host/audit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/steady.h"
#include "base/str.h"

const char *const audit_verdicts[] = { "allowed", "denied", "failed" };
static const char too_many[] = "more than are listed singly";

static int open_directory(const char *state)
{
	char path[4096];
	if (snprintf(path, sizeof(path), "%s/%s", state, AUDIT_DIRECTORY) >= (int)sizeof(path))
		return fail(ENAMETOOLONG, "the state directory");
	return owned_directory(path);
}

// "run-20260102T030405-123.jsonl": after those of version 0.1.0 in every order. A run that opens
// two in one second has one.
static int open_log(const char *state)
{
	char name[64];
	struct tm date;
	time_t now = time(NULL);
	autoclose int directory = -1;
	TRY(directory = open_directory(state));
	gmtime_r(&now, &date);
	size_t used = strftime(name, sizeof(name), "run-%Y%m%dT%H%M%S", &date);
	snprintf(name + used, sizeof(name) - used, "-%d" AUDIT_SUFFIX, (int)getpid());
	return openat(directory, name, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC,
		      0600);
}

struct audit_line {
	int64_t time; // of the steady clock, in milliseconds
	const char *name, *verdict, *rule, *why, *program, *project;
	const struct address *address; // or NULL
	uint16_t port;
	pid_t pid;
	uint64_t connections, up, down;
};

static void write_stamp(int64_t steady, char stamp[64])
{
	struct timespec now;
	struct tm date;
	clock_gettime(CLOCK_REALTIME, &now);
	int64_t then = (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 - (steady_now() - steady);
	time_t seconds = (time_t)(then / 1000);
	gmtime_r(&seconds, &date);
	size_t used = strftime(stamp, 64, "%Y-%m-%dT%H:%M:%S", &date);
	snprintf(stamp + used, 64 - used, ".%03dZ", (int)(then % 1000));
}

static void add_line(struct out *out, const struct audit_line *line)
{
	char stamp[64], address[ADDRESS_TEXT_MAX] = "";
	write_stamp(line->time, stamp);
	if (line->address)
		address_text(line->address, address);
	json_begin(out, "connection");
	json_string(out, "time", stamp);
	json_number(out, "run", (unsigned)getpid());
	json_number(out, "pid", (unsigned)line->pid);
	json_string(out, "program", line->program);
	json_string(out, "name", line->name);
	json_string(out, "address", address);
	json_number(out, "port", line->port);
	json_string(out, "verdict", line->verdict);
	json_string(out, "rule", line->rule);
	json_string(out, "why", line->why);
	json_number(out, "connections", line->connections);
	json_number(out, "up", line->up);
	json_number(out, "down", line->down);
	json_string(out, "project", line->project ? line->project : "");
	json_end(out);
}

static size_t put(const struct audit *audit, struct out *out)
{
	size_t length = out->used;
	return out_write(out, audit->fd) == 0 ? length : 0;
}

static void add_count(struct out *out, const char *project, const struct audit_count *count,
		      const char *why, enum conn_verdict verdict)
{
	char name[HOST_NAME_BYTES_MAX + 1] = "";
	if (!*why)
		host_text(&count->host, name);
	if (!count->connections && !count->up && !count->down)
		return;
	add_line(out, &(struct audit_line){ .time = steady_now(),
					    .name = name,
					    .verdict = audit_verdicts[verdict],
					    .rule = "",
					    .why = why,
					    .program = "",
					    .project = project,
					    .port = count->port,
					    .connections = count->connections,
					    .up = count->up,
					    .down = count->down });
}

// The minute's counts.
static void write_counts(struct audit *audit)
{
	struct out out = { 0 };
	for (unsigned i = 0; i < audit->count; i++)
		add_count(&out, audit->project, &audit->counts[i], "", VERDICT_ALLOWED);
	add_count(&out, audit->project, &audit->others, too_many, VERDICT_ALLOWED);
	add_count(&out, audit->project, &audit->refusals, too_many, VERDICT_DENIED);
	audit->counted += put(audit, &out);
	audit->count = 0;
	audit->others = audit->refusals = (struct audit_count){ 0 };
}

static bool may_write_counts(const struct audit *audit)
{
	return audit->counted < AUDIT_COUNTED_BYTES;
}

static struct audit_count *find_count(struct audit *audit, const struct conn_record *record)
{
	unsigned index = 0;
	while (index < audit->count && (audit->counts[index].port != record->port ||
					!host_equal(&audit->counts[index].host, &record->host)))
		index++;
	if (index == AUDIT_COUNTS_MAX && may_write_counts(audit)) {
		write_counts(audit);
		index = 0;
	}
	if (index == AUDIT_COUNTS_MAX)
		return &audit->others;
	if (index == audit->count)
		audit->counts[audit->count++] =
			(struct audit_count){ .host = record->host, .port = record->port };
	return &audit->counts[index];
}

static void take_allowed(struct audit *audit, const struct conn_record *record,
			 struct audit_line *line)
{
	struct out out = { 0 };
	unsigned singles = AUDIT_SINGLES - audit->singles;
	singles = record->visit_count < singles ? record->visit_count : singles;
	line->connections = 1;
	// The first of its kind, and the only one so far: the bytes are its own.
	bool alone = singles == 1 && record->visit_count == 1 && record->batch <= 1;
	line->up = alone ? record->up : 0;
	line->down = alone ? record->down : 0;
	for (unsigned i = 0; i < singles; i++) {
		line->time = record->visits[i].time;
		line->address = record->visits[i].dialled ? &record->visits[i].address : NULL;
		add_line(&out, line);
	}
	audit->singles += singles;
	put(audit, &out);
	if (alone || (singles == record->visit_count && !record->up && !record->down))
		return;
	struct audit_count *count = find_count(audit, record);
	count->connections += record->visit_count - singles;
	count->up += record->up;
	count->down += record->down;
}

static void take_refused(struct audit *audit, const struct conn_record *record,
			 struct audit_line *line)
{
	struct out out = { 0 };
	if (audit->refused >= AUDIT_REFUSED_BYTES) {
		audit->refusals.connections += record->count;
		return;
	}
	line->connections = record->count;
	add_line(&out, line);
	audit->refused += put(audit, &out);
}

void audit_take(struct audit *audit, const char *state, const struct conn_record *record, pid_t pid,
		const char *program)
{
	enum { MINUTE = 60000 };
	char name[HOST_NAME_BYTES_MAX + 1];
	int64_t now = steady_now();
	if (audit->fd == -1) {
		audit->fd = ATTEMPT(open_log(state));
		audit->fd = audit->fd < 0 ? -2 : audit->fd;
		audit->minute = now / MINUTE;
	}
	if (audit->fd < 0 || record->count + record->up + record->down == 0)
		return;
	if (now / MINUTE != audit->minute && may_write_counts(audit))
		write_counts(audit);
	audit->minute = now / MINUTE;
	host_text(&record->host, name);
	struct audit_line line = { .time = now,
				   .name = name,
				   .verdict = audit_verdicts[record->verdict],
				   .rule = record->rule,
				   .why = record->why,
				   .program = program,
				   .project = audit->project,
				   .port = record->port,
				   .pid = pid };
	if (record->verdict == VERDICT_ALLOWED)
		take_allowed(audit, record, &line);
	else
		take_refused(audit, record, &line);
}

static int is_log(const struct dirent *entry)
{
	return str_starts(entry->d_name, "run-") && str_ends(entry->d_name, AUDIT_SUFFIX);
}

// The oldest while there are too many, the largest while they are too large: a run that writes much
// takes from its like, and not from the quiet ones.
static void prune(int directory, struct dirent **entries, int count)
{
	off_t all = 0, *sizes = calloc((size_t)count + 1, sizeof(*sizes));
	for (int i = 0; sizes && i < count; i++) {
		struct stat status;
		bool there =
			fstatat(directory, entries[i]->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0;
		sizes[i] = there ? status.st_size : 0;
		if (i < count - AUDIT_FILES_MAX) {
			unlinkat(directory, entries[i]->d_name, 0);
			sizes[i] = 0;
		}
		all += sizes[i];
	}
	while (sizes && all > AUDIT_ALL_BYTES) {
		int largest = 0;
		for (int i = 1; i < count; i++)
			largest = sizes[i] > sizes[largest] ? i : largest;
		if (unlinkat(directory, entries[largest]->d_name, 0) < 0 || !sizes[largest])
			break;
		all -= sizes[largest];
		sizes[largest] = 0;
	}
	free(sizes);
}

static void prune_all(const char *state)
{
	struct dirent **entries;
	autoclose int directory = ATTEMPT(open_directory(state));
	int count = directory < 0 ? -1 : scandirat(directory, ".", &entries, is_log, alphasort);
	if (count < 0)
		return;
	prune(directory, entries, count);
	for (int i = 0; i < count; i++)
		free(entries[i]);
	free(entries);
}

void audit_end(struct audit *audit, const char *state)
{
	if (audit->fd < 0)
		return;
	write_counts(audit);
	fd_close(&audit->fd);
	audit->fd = -2;
	prune_all(state);
}

int audit_report(const char *state, const char *project, const char *text)
{
	char stamp[64];
	struct out out = { 0 };
	autoclose int fd = open_log(state);
	TRY(fd);
	write_stamp(steady_now(), stamp);
	for (const char *at = text; *at; at += *at == '\n') {
		struct out line = { 0 };
		at += str_starts(at, "sbx: ") ? strlen("sbx: ") : 0;
		out_bytes(&line, at, strcspn(at, "\n"));
		at += strcspn(at, "\n");
		out_bytes(&line, "", 1);
		json_begin(&out, "reported");
		json_string(&out, "time", stamp);
		json_number(&out, "run", (unsigned)getpid());
		json_string(&out, "text", line.text);
		json_string(&out, "project", project ? project : "");
		json_end(&out);
		out_free(&line);
	}
	int result = out_write(&out, fd);
	out_free(&out);
	prune_all(state);
	return result;
}
