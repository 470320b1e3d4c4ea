// Owns the loading of catch.bpf.c. The program ends when run->catcher is closed.
#include "bpf/catch.h"

#include <fcntl.h>
#include <stdio.h>

#include "base/fd.h"
#include "bpf/skeletons.h"
#include "plan.h"
#include "run.h"

static void drop(struct catch_bpf **program)
{
	catch_bpf__destroy(*program);
}

bool catch_all(const struct plan *plan, struct run *run, int listener)
{
	const uint32_t key = 0, value = (uint32_t)listener;
	char path[64];
	if (plan->profile->guard == TOGGLE_NO)
		return false;
	snprintf(path, sizeof(path), "/proc/%d/ns/net", (int)run->init);
	autoclose int network = open(path, O_RDONLY | O_CLOEXEC);
	__attribute__((cleanup(drop))) struct catch_bpf *program = catch_bpf__open();
	if (network < 0 || !program || catch_bpf__load(program) < 0 ||
	    skel_map_update_elem(program->maps.listener.map_fd, &key, &value, BPF_ANY) < 0)
		return false;
	run->catcher =
		skel_link_create(program->progs.choose_socket.prog_fd, network, BPF_SK_LOOKUP);
	return run->catcher >= 0;
}
