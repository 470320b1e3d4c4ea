// Owns the log's file and its lines.
#include "net/audit.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include <fcntl.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/owned.h"

const char *const audit_verdicts[] = { "allowed", "denied", "failed" };

int audit_open(const char *state)
{
	char path[4096];
	struct stat status;
	if (snprintf(path, sizeof(path), "%s/%s", state, AUDIT_DIRECTORY) >= (int)sizeof(path))
		return fail(ENAMETOOLONG, "the state directory");
	autoclose int directory = -1;
	TRY(directory = owned_directory(path));
	if (fstatat(directory, AUDIT_FILE, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    status.st_size > AUDIT_BYTES_MOST)
		renameat(directory, AUDIT_FILE, directory, AUDIT_OLD);
	autoclose int fd = openat(directory, AUDIT_FILE,
				  O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "open the log of connections");
	if (!S_ISREG(status.st_mode) || status.st_uid != geteuid())
		return fail(0, "'%s/%s' is not a file of yours", path, AUDIT_FILE);
	return take(&fd);
}

size_t audit_write(int fd, const struct record *record, pid_t pid, const char *program)
{
	struct out out = { 0 };
	struct timespec now;
	struct tm time;
	char stamp[64], text[HOST_NAME_MOST + 1], address[ADDRESS_TEXT_MOST] = "";
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &time);
	size_t used = strftime(stamp, sizeof(stamp), "%Y-%m-%dT%H:%M:%S", &time);
	snprintf(stamp + used, sizeof(stamp) - used, ".%03ldZ", now.tv_nsec / 1000000);
	host_text(&record->host, text);
	if (record->dialled)
		address_text(&record->address, address);
	json_open(&out, NULL, '{');
	json_string(&out, "time", stamp);
	json_number(&out, "run", (unsigned)getpid());
	json_number(&out, "pid", (unsigned)pid);
	json_string(&out, "program", program);
	json_string(&out, "name", text);
	json_string(&out, "address", address);
	json_number(&out, "port", record->port);
	json_string(&out, "verdict", audit_verdicts[record->verdict]);
	json_string(&out, "rule", record->rule);
	json_string(&out, "why", record->why);
	json_number(&out, "connections", record->count);
	json_number(&out, "up", record->up);
	json_number(&out, "down", record->down);
	json_close(&out, '}');
	out_text(&out, "\n");
	size_t length = out.used;
	return out_flush(&out, fd) == 0 ? length : 0;
}
