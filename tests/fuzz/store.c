// Stands for session/store/store.c and net/setup/egress.c where parsers alone are tried: no file is
// read or written, and nothing is closed.
#include "net/setup/netns.h"
#include "session/store/store.h"

int store_read_file(struct arena *arena, int directory, const char *name, size_t most,
		    const char **ret_text, size_t *ret_length)
{
	(void)arena, (void)directory, (void)name, (void)most, (void)ret_text, (void)ret_length;
	return -1;
}

int store_unusable(const struct held *held, const char *name)
{
	(void)held, (void)name;
	return -1;
}

const char *egress_closed(const struct plan *plan, const struct host *host, uint16_t port,
			  const char **ret_flag)
{
	(void)plan, (void)host, (void)port, (void)ret_flag;
	return NULL;
}
