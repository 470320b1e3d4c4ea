// Owns the test for a resolver of the host that invents addresses, as some local proxies do.
#include <ares.h>
#include <netinet/in.h>
#include <netdb.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "net/host/proxy.h"
#include "net/setup/netns.h"

static void answered(void *data, int status, int timeouts, struct hostent *host)
{
	struct address address;
	(void)timeouts;
	if (status != ARES_SUCCESS || host->h_addrtype != AF_INET || !host->h_addr_list[0])
		return;
	address = address_v4(host->h_addr_list[0]);
	*(bool *)data = names_is_synthetic(&address);
}

bool proxy_made_up(void)
{
	enum { MILLISECONDS = 500 };
	struct ares_options options = { .timeout = MILLISECONDS, .tries = 1 };
	unsigned random[2];
	char name[32];
	bool made_up = false;
	ares_channel channel;
	ares_socket_t socket;
	if (getrandom(random, sizeof(random), 0) < 0 ||
	    ares_init_options(&channel, &options, ARES_OPT_TIMEOUTMS | ARES_OPT_TRIES) !=
		    ARES_SUCCESS)
		return false;
	snprintf(name, sizeof(name), "%08x%08x.invalid.", random[0], random[1]);
	ares_gethostbyname(channel, name, AF_INET, answered, &made_up);
	while (ares_getsock(channel, &socket, 1)) {
		struct pollfd event = { .fd = socket, .events = POLLIN };
		bool heard = poll(&event, 1, MILLISECONDS) > 0;
		ares_process_fd(channel, heard ? socket : ARES_SOCKET_BAD, ARES_SOCKET_BAD);
	}
	ares_destroy(channel);
	return made_up;
}
