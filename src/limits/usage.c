// Owns what a run used, read at its end.
#include "limits/group.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>

#include "base/fd.h"
#include "plan.h"
#include "run.h"

enum { TEXT_MAX = 4096, SIGNALS = 128 };

static uint64_t number_of(int directory, const char *file)
{
	char text[64] = "x ";
	size_t length = file_kernel(directory, file, text + 2, sizeof(text) - 2);
	return text_value(text, length + 2, "x");
}

static uint64_t value_of(int directory, const char *file, const char *name)
{
	char text[TEXT_MAX];
	return text_value(text, file_kernel(directory, file, text, sizeof(text)), name);
}

static void take_larger(uint64_t *into, uint64_t number)
{
	*into = number > *into ? number : *into;
}

static void read_group(int directory, struct usage *usage)
{
	char text[TEXT_MAX];
	take_larger(&usage->cpu, value_of(directory, "cpu.stat", "usage_usec"));
	take_larger(&usage->memory, number_of(directory, "memory.peak")); // Linux 5.19
	take_larger(&usage->pids, number_of(directory, "pids.peak"));     // Linux 6.6
	usage->throttled = value_of(directory, "cpu.stat", "throttled_usec");
	usage->kills = value_of(directory, "memory.events", "oom_kill");
	usage->refused = value_of(directory, "pids.events", "max");
	size_t length = file_kernel(directory, "io.stat", text, sizeof(text));
	take_larger(&usage->read, text_sum(text, length, "rbytes"));
	take_larger(&usage->written, text_sum(text, length, "wbytes"));
}

void usage_read(const struct plan *plan, struct run *run)
{
	struct usage *usage = &run->group->usage;
	const struct message *message = &run->message;
	if (message->kind == MESSAGE_ENDED) {
		usage->cpu = message->cpu;
		usage->memory = message->memory;
		usage->read = message->read;
		usage->written = message->written;
		usage->tmp_full = message->tmp_full;
	}
	usage->pids = run->group->watch.pids;
	usage->disk_grew =
		usage->written >= plan->profile->limits.disk && watch_limits_grew(plan, run);
	if (plan->keeping.means != MEANS_RLIMITS)
		read_group(run->group->own[HIERARCHY_ONE], usage);
}

static const char *own_switch(const struct plan *plan)
{
	static const char node[] = "node npm npx pnpm yarn", java[] = "java mvn gradle";
	const char *name = plan->command ? path_name(plan->command[0]) : "";
	if (text_has(node, strlen(node), name))
		return "node's own switch: NODE_OPTIONS=--max-old-space-size=MIB";
	return text_has(java, strlen(java), name) ? "java's own switch: -Xmx" : NULL;
}

static bool died_of(int status, int number)
{
	return (WIFSIGNALED(status) && WTERMSIG(status) == number) ||
	       (WIFEXITED(status) && WEXITSTATUS(status) == SIGNALS + number);
}

int usage_hits(const struct plan *plan, const struct usage *usage, enum stop stop, int status,
	       struct hit hits[HITS_MAX])
{
	static const char killed[] = "the box was killed";
	const struct limits *limits = &plan->profile->limits;
	bool file = died_of(status, SIGXFSZ), full = stop == STOP_FULL, disk = stop == STOP_DISK;
	bool whole = file && limits->file_size <= limits->disk && limits->file_size != UNLIMITED;
	const struct {
		bool met;
		struct hit hit;
	} rows[] = {
		{ stop == STOP_TIME,
		  { "timeout", limits->time, "the run was ended", NULL, false } },
		{ stop == STOP_MEMORY || usage->kills > 0,
		  { "memory", limits->memory, usage->kills > 0 ? "the kernel killed it" : killed,
		    own_switch(plan), false } },
		{ stop == STOP_PARENT,
		  { "die-with-parent", 0,
		    "the process that started sbx has ended, and the run was ended with it", NULL,
		    true } },
		{ stop == STOP_PIDS, { "pids", limits->pids, killed, NULL, false } },
		{ full,
		  { "disk-growth", limits->disk,
		    "a disk was nearly full, as this box used three quarters of its free "
		    "space: the box was killed; free some space, or lift the limit with "
		    "--disk-growth unlimited",
		    NULL, true } },
		{ disk, { "disk-growth", limits->disk, killed, NULL, false } },
		{ usage->disk_grew && !disk && !full && !file,
		  { "disk-growth", limits->disk, "a disk lost about as much space during the run",
		    NULL, false } },
		{ usage->refused > 0 || (stop != STOP_PIDS && usage->pids >= limits->pids),
		  { "pids", limits->pids, "no further process could be started", NULL, false } },
		{ limits->tmp != UNLIMITED && usage->tmp_full && status != 0,
		  { "tmp-size", limits->tmp, "the private directories (/tmp, home) are full", NULL,
		    false } },
		{ whole, { "file-size", limits->file_size, "a file could not grow", NULL, false } },
		{ file && !whole && limits->disk != UNLIMITED,
		  { "disk-growth", limits->disk, "a file could not grow", NULL, false } },
	};
	int count = 0;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows) && count < HITS_MAX; i++)
		if (rows[i].met)
			hits[count++] = rows[i].hit;
	return count;
}
