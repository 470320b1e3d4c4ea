// The walls around a worker of the proxy.
#pragma once

// The locks of a worker; 0, or -1 with errno.
int confine_worker(void);
