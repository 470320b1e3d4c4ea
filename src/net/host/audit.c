// Owns the log's files and lines.
#include "net/host/destinations.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "report/print_fields.h"

static int open_directory(const char *state)
{
	char path[4096];
	if (snprintf(path, sizeof(path), "%s/%s", state, AUDIT_DIRECTORY) >= (int)sizeof(path))
		return fail(ENAMETOOLONG, "the state directory");
	return owned_directory(path);
}

// Makes a log whose name sorts by age, for prune().
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

static size_t put(const struct audit *audit, const struct conn_record *record, int64_t time,
		  const struct audit_count *count, pid_t pid, const char *program)
{
	char stamp[TIMES_STAMP], address[ADDRESS_TEXT_MAX] = "", name[HOST_NAME_BYTES_MAX + 1];
	struct out out = { .json = true };
	times_stamp(wall_now() - (steady_now() - time), stamp);
	if (record->dialled)
		address_text(&record->address, address);
	host_text(&record->host, name);
	json_begin(&out, "connection");
	print_members(&out, MEMBER("time", stamp), MEMBER_NUMBER("run", (unsigned)getpid()),
		      MEMBER_NUMBER("pid", (unsigned)pid), MEMBER("program", program),
		      MEMBER("name", name), MEMBER("address", address),
		      MEMBER_NUMBER("port", record->port),
		      MEMBER("verdict", conn_verdicts[record->verdict]),
		      MEMBER("rule", record->rule), MEMBER("why", record->why),
		      MEMBER_NUMBER("connections", count->connections),
		      MEMBER_NUMBER("up", count->up), MEMBER_NUMBER("down", count->down),
		      MEMBER("project", audit->project ? audit->project : ""));
	json_end(&out);
	size_t length = out.used;
	return out_write(&out, audit->fd) == 0 ? length : 0;
}

void audit_take(struct audit *audit, const char *state, const struct conn_record *record, pid_t pid,
		const char *program, struct audit_count *unlogged)
{
	const struct audit_count count = { record->count, record->up, record->down };
	if (audit->fd == -1) {
		audit->fd = ATTEMPT(open_log(state));
		audit->fd = audit->fd < 0 ? -2 : audit->fd;
	}
	if (audit->fd < 0 || record->count == 0)
		return;
	bool allowed = record->verdict == VERDICT_ALLOWED, question = allowed && !record->port;
	if (question  ? audit->questions < AUDIT_QUESTIONS
	    : allowed ? audit->singles < AUDIT_SINGLES
		      : audit->refused < AUDIT_REFUSED_BYTES) {
		size_t length = put(audit, record, record->time, &count, pid, program);
		audit->questions += question;
		audit->singles += allowed && !question;
		audit->refused += allowed ? 0 : length;
		return;
	}
	unlogged->connections += count.connections;
	unlogged->up += count.up;
	unlogged->down += count.down;
}

void audit_rest(const struct audit *audit, const struct conn_record *record,
		const struct audit_count *unlogged)
{
	struct conn_record rest = *record;
	rest.dialled = false;
	if (audit->fd >= 0 && unlogged->connections)
		put(audit, &rest, steady_now(), unlogged, 0, "");
}

static int is_log(const struct dirent *entry)
{
	return str_starts(entry->d_name, "run-") && str_ends(entry->d_name, AUDIT_SUFFIX);
}

// Removes the oldest, then the largest: a run that writes much displaces no small logs.
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
	fd_close(&audit->fd);
	audit->fd = -2;
	prune_all(state);
}

int audit_report(const char *state, const char *project, const char *text)
{
	char stamp[TIMES_STAMP];
	struct out out = { .json = true };
	autoclose int fd = open_log(state);
	TRY(fd);
	times_stamp(wall_now(), stamp);
	for (const char *at = text; *at; at += *at == '\n') {
		struct out line = { 0 };
		at += str_starts(at, "sbx: ") ? strlen("sbx: ") : 0;
		out_bytes(&line, at, strcspn(at, "\n"));
		at += strcspn(at, "\n");
		out_bytes(&line, "", 1);
		json_begin(&out, "reported");
		print_members(&out, MEMBER("time", stamp), MEMBER_NUMBER("run", (unsigned)getpid()),
			      MEMBER("text", line.text), MEMBER("project", project ? project : ""));
		json_end(&out);
		out_free(&line);
	}
	int result = out_write(&out, fd);
	out_free(&out);
	prune_all(state);
	return result;
}
