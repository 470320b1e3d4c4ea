// Owns the question whether a cgroup limits its processes.
#include "limits/group.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fd.h"
#include "base/base.h"
#include "base/sys.h"
#include "profile.h"

// An empty file or "max" is no limit (cgroup-v2.rst).
static const char *const files[] = {
	"memory.max", "memory.high",     "memory.swap.max", "cpu.max",
	"io.max",     "cpuset.cpus",     "cpuset.mems",     "rdma.max",
	"misc.max",   "hugetlb.2MB.max", "hugetlb.1GB.max",
};

// True if BPF programs check devices or addresses, as systemd's do.
static bool has_programs(int directory)
{
	static const enum bpf_attach_type types[] = { BPF_CGROUP_DEVICE, BPF_CGROUP_INET_INGRESS,
						      BPF_CGROUP_INET_EGRESS };
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		union bpf_attr attributes = {
			.query = { .target_fd = (unsigned)directory, .attach_type = types[i] },
		};
		if (sys_bpf(BPF_PROG_QUERY, &attributes, sizeof(attributes)) == 0 &&
		    attributes.query.prog_cnt > 0)
			return true;
	}
	return false;
}

void caller_look(const char *directory, struct caller_limit *ret_limit)
{
	struct caller_limit limit = { .pids = UNLIMITED };
	char text[CALLER_MAX];
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (size_t i = 0; fd >= 0 && i < sizeof(files) / sizeof(*files) && !limit.what[0]; i++) {
		size_t length = file_kernel(fd, files[i], text, sizeof(text));
		if (length > 1 && !str_starts(text, "max"))
			snprintf(limit.what, sizeof(limit.what), "%s=%.*s", files[i],
				 (int)strcspn(text, "\n"), text);
	}
	if (fd >= 0 && !limit.what[0] && has_programs(fd))
		snprintf(limit.what, sizeof(limit.what), "BPF programs");
	if (fd >= 0 && file_kernel(fd, "pids.max", text, sizeof(text)) > 0 &&
	    !str_starts(text, "max"))
		limit.pids = strtoull(text, NULL, 10);
	*ret_limit = limit;
}
