// Owns the search for the program behind a connection. Only for what is told to people: nothing is
// decided by it.
#include "net/who.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"

enum { TABLE_MOST = 256 * 1024, PROCESSES_MOST = 8192, DESCRIPTORS_MOST = 4096, NAME_SIZE = 16 };

//   0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1001  0 12345 1 ...
unsigned long long who_find_inode(const char *text, size_t length, uint16_t port)
{
	enum { WORD_LOCAL = 1, WORD_INODE = 9 };
	const char *end = text + length;
	for (const char *line = text; line < end;) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		const char *stop = newline ? newline : end;
		bool ours = false;
		int word = 0;
		for (const char *at = line; at < stop; word++) {
			while (at < stop && *at == ' ')
				at++;
			const char *begin = at;
			while (at < stop && *at != ' ')
				at++;
			size_t size = (size_t)(at - begin);
			if (word == WORD_LOCAL && size > 5 && begin[size - 5] == ':') {
				char digits[5] = "";
				memcpy(digits, begin + size - 4, 4);
				ours = strtoul(digits, NULL, 16) == port;
			}
			unsigned long long inode;
			if (ours && word == WORD_INODE &&
			    str_number(begin, size, 1, 1ULL << 62, &inode))
				return inode;
		}
		line = stop + 1;
	}
	return 0;
}

static size_t read_text(const char *path, char *text, size_t size)
{
	autoclose int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : fd_read_all(fd, text, size);
	return got < 0 ? 0 : (size_t)got;
}

static unsigned long long find_inode(pid_t init, uint16_t port)
{
	static const char *const tables[] = { "tcp", "tcp6" };
	static char text[TABLE_MOST];
	unsigned long long inode = 0;
	for (int i = 0; i < 2 && !inode; i++) {
		char path[64];
		snprintf(path, sizeof(path), "/proc/%d/net/%s", (int)init, tables[i]);
		inode = who_find_inode(text, read_text(path, text, sizeof(text)), port);
	}
	return inode;
}

static bool reads_as(int directory, const char *name, const char *wanted)
{
	char link[64];
	ssize_t length = readlinkat(directory, name, link, sizeof(link) - 1);
	link[length > 0 ? length : 0] = '\0';
	return str_equal(link, wanted);
}

static bool holds(int process, const char *socket)
{
	int fd = openat(process, "fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	bool found = false;
	if (!stream) {
		fd_close(&fd);
		return false;
	}
	struct dirent *each = readdir(stream);
	for (int i = 0; each && !found && i < DESCRIPTORS_MOST; i++, each = readdir(stream))
		found = each->d_name[0] != '.' && reads_as(fd, each->d_name, socket);
	closedir(stream);
	return found;
}

static bool read_name(int process, char program[NAME_SIZE])
{
	autoclose int fd = openat(process, "comm", O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : read(fd, program, NAME_SIZE - 1);
	program[got > 0 ? got : 0] = '\0';
	program[strcspn(program, "\n")] = '\0';
	// A program names itself: what would move a terminal's cursor is not shown.
	for (char *at = program; *at; at++)
		if (*at < ' ' || *at > '~')
			*at = '?';
	return program[0] != '\0';
}

pid_t who_owns(pid_t init, uint16_t port, char program[NAME_SIZE])
{
	char socket[64];
	unsigned long long inode = find_inode(init, port);
	program[0] = '\0';
	if (!inode)
		return 0;
	snprintf(socket, sizeof(socket), "socket:[%llu]", inode);
	DIR *stream = opendir("/proc");
	pid_t found = 0;
	struct dirent *each = stream ? readdir(stream) : NULL;
	for (int i = 0; each && !found && i < PROCESSES_MOST; i++, each = readdir(stream)) {
		if (each->d_name[0] < '1' || each->d_name[0] > '9')
			continue;
		autoclose int process =
			openat(dirfd(stream), each->d_name, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (process >= 0 && holds(process, socket) && read_name(process, program))
			found = (pid_t)atoi(each->d_name);
	}
	if (stream)
		closedir(stream);
	return found;
}
