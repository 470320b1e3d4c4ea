// Owns the way to the user's own systemd.
#include "limits/manager.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"

static bool answers(const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	autoclose int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd < 0 || strlen(path) >= sizeof(address.sun_path))
		return false;
	memcpy(address.sun_path, path, strlen(path));
	return connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0;
}

enum bus manager_find(char *path, unsigned long size)
{
	static const char *const names[] = {
		[BUS_MANAGER] = "systemd/private", [BUS_DAEMON] = "bus"
	};
	const char *directory = getenv("XDG_RUNTIME_DIR");
	char own[64];
	snprintf(own, sizeof(own), "/run/user/%u", (unsigned)geteuid());
	for (int i = BUS_MANAGER; i <= BUS_DAEMON; i++) {
		str_put(path, size, "%s/%s", directory && directory[0] == '/' ? directory : own,
			names[i]);
		if (answers(path))
			return (enum bus)i;
	}
	path[0] = '\0';
	return BUS_NONE;
}
