// Owns the process of the look, and the way of its words back.
#include "guard/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/owned.h"
#include "base/shorten.h"

enum { TEXTS_MOST = 4, TEXT_MOST = 1 << 20 };

static _Noreturn void run_child(void (*look)(void *argument), void *argument,
				struct out *const *texts, unsigned count, int back)
{
	size_t length;
	for (unsigned i = 0; i < count; i++)
		texts[i]->used = 0; // the other process has what was in it
	if (owned_override(OVER_ALL) < 0)
		_exit(1);
	look(argument);
	for (unsigned i = 0; i < count; i++) {
		if (texts[i]->used > TEXT_MOST) // what is mild is cut, not all of it
			shorten_lines(texts[i]);
		length = texts[i]->used < TEXT_MOST ? texts[i]->used : TEXT_MOST;
		if (fd_write_all(back, &length, sizeof(length)) < 0 ||
		    (length > 0 && fd_write_all(back, texts[i]->text, length) < 0))
			_exit(1);
	}
	_exit(0);
}

static bool read_text(int from, struct out *text)
{
	static char words[4096];
	size_t left;
	if (fd_read_all(from, &left, sizeof(left)) != sizeof(left) || left > TEXT_MOST)
		return false;
	while (left > 0) {
		size_t want = left < sizeof(words) ? left : sizeof(words);
		if (fd_read_all(from, words, want) != (ssize_t)want)
			return false;
		out_text(text, "%.*s", (int)want, words);
		left -= want;
	}
	return true;
}

bool apart_run(void (*look)(void *argument), void *argument, struct out *const *texts,
	       unsigned count)
{
	int ends[2], status = 0;
	bool whole = true;
	if (count > TEXTS_MOST || pipe2(ends, O_CLOEXEC) < 0)
		return false;
	pid_t child = fork();
	if (child == 0)
		run_child(look, argument, texts, count, ends[1]);
	fd_close(&ends[1]);
	for (unsigned i = 0; child > 0 && whole && i < count; i++)
		whole = read_text(ends[0], texts[i]);
	fd_close(&ends[0]);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	return child > 0 && whole && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
