// Owns the terminals of commands. Raw calls, no heap.
#include "process/pty.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/fd.h"
#include "run.h"

static bool is_multiplexer(int fd)
{
	enum { TTYAUX_MAJOR = 5, PTMX_MINOR = 2 };
	struct stat status;
	return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
	       status.st_rdev == makedev(TTYAUX_MAJOR, PTMX_MINOR);
}

int pty_open(const struct terminal_wish *wish, int *ret_master, int *ret_peer)
{
	struct winsize size = { .ws_row = wish->rows, .ws_col = wish->columns };
	int unlocked = 0, flags = O_RDWR | O_NOCTTY | O_CLOEXEC;
	autoclose int master = open("/dev/pts/ptmx", flags | O_NONBLOCK);
	if (master < 0)
		return errno;
	if (!is_multiplexer(master))
		return ENOTTY;
	if (ioctl(master, TIOCSPTLCK, &unlocked) < 0 || ioctl(master, TIOCSWINSZ, &size) < 0)
		return errno;
	int peer = ioctl(master, TIOCGPTPEER, flags);
	if (peer < 0)
		return errno;
	*ret_master = take(&master);
	*ret_peer = peer;
	return 0;
}

int pty_take(void)
{
	return ioctl(STDIN_FILENO, TIOCSCTTY, 0);
}
