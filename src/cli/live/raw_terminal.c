// Owns the modes and the size of the caller's terminal.
#include "cli/live/raw_terminal.h"

#include <sys/ioctl.h>
#include <unistd.h>

struct terminal_wish raw_terminal_size(void)
{
	enum { ROWS = 24, COLUMNS = 80 };
	struct winsize size;
	if (ioctl(STDIN_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0)
		return (struct terminal_wish){ true, ROWS, COLUMNS };
	return (struct terminal_wish){ true, size.ws_row, size.ws_col };
}

void raw_terminal_begin(struct raw_terminal *terminal)
{
	struct termios modes;
	if (!terminal->raw && tcgetattr(STDIN_FILENO, &terminal->before) < 0)
		return;
	terminal->raw = true;
	modes = terminal->before;
	cfmakeraw(&modes);
	tcsetattr(STDIN_FILENO, TCSANOW, &modes);
}

void raw_terminal_end(struct raw_terminal *terminal)
{
	if (terminal->raw)
		tcsetattr(STDIN_FILENO, TCSANOW, &terminal->before);
	terminal->raw = false;
}

bool raw_terminal_is_master(int fd)
{
	int number;
	return ioctl(fd, TIOCGPTN, &number) == 0;
}

void raw_terminal_copy_size(int master)
{
	struct terminal_wish wish = raw_terminal_size();
	struct winsize size = { .ws_row = wish.rows, .ws_col = wish.columns };
	ioctl(master, TIOCSWINSZ, &size);
}
