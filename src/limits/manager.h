// The manager of the user's services (systemd), which makes scopes.
#pragma once

// Where the manager of the user's services listens, or "" when there is none. `size` of 108.
enum bus { BUS_NONE, BUS_MANAGER, BUS_DAEMON };
enum bus manager_find(char *path, unsigned long size);
