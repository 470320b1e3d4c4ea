// Owns the decision whether a directory is a git directory.
#include "git/git.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"

enum { HEAD_MAX = 256, HASH_LENGTH = 40 };

const char *const git_part_names[GIT_PARTS] = {
	[GIT_HEAD] = "HEAD",
	[GIT_COMMONDIR] = "commondir",
	[GIT_OBJECTS] = "objects",
	[GIT_REFS] = "refs",
};

// Git's isspace() excludes form feed and vertical tab.
static bool is_space(char byte)
{
	return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r';
}

static bool is_hexadecimal(char byte)
{
	return (byte >= '0' && byte <= '9') || ((byte | ' ') >= 'a' && (byte | ' ') <= 'f');
}

static bool begins(const char *text, size_t length, const char *with)
{
	size_t size = strlen(with);
	return length >= size && memcmp(text, with, size) == 0;
}

static bool git_is_head_link(const char *text, size_t length)
{
	return begins(text, length, "refs/");
}

static bool git_is_head(const char *text, size_t length)
{
	size_t at = 0;
	if (begins(text, length, "ref:")) {
		for (at = strlen("ref:"); at < length && is_space(text[at]); at++)
			;
		return begins(text + at, length - at, "refs/");
	}
	// A SHA-256 begins with as many hexadecimal digits as a SHA-1 has.
	while (at < length && at < HASH_LENGTH && is_hexadecimal(text[at]))
		at++;
	return at == HASH_LENGTH;
}

static bool is_head(int directory, const char *name, const struct stat *status)
{
	char text[HEAD_MAX];
	size_t length;
	if (S_ISLNK(status->st_mode)) {
		ssize_t size = readlinkat(directory, name, text, sizeof(text) - 1);
		return size > 0 && git_is_head_link(text, (size_t)size);
	}
	if (!S_ISREG(status->st_mode))
		return false;
	int found = file_read_into(directory, name, FILE_PART, text, sizeof(text), &length);
	return found > 0 ? git_is_head(text, length) : found < 0 && errno == EACCES;
}

static bool is_entered(const struct stat *status)
{
	return !S_ISREG(status->st_mode) || (status->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH));
}

void git_look(int directory, enum git_part part, struct git_parts *parts)
{
	struct stat status;
	const char *name = git_part_names[part];
	parts->has[part] = false;
	if (fstatat(directory, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return;
	parts->has[part] = part == GIT_HEAD        ? is_head(directory, name, &status)
			   : part == GIT_COMMONDIR ? true
						   : is_entered(&status);
}

enum git_directory git_decide(const struct git_parts *parts)
{
	if (!parts->has[GIT_HEAD])
		return GIT_NONE;
	if (parts->has[GIT_COMMONDIR])
		return GIT_SHARED;
	return parts->has[GIT_OBJECTS] && parts->has[GIT_REFS] ? GIT_WHOLE : GIT_NONE;
}

enum git_directory git_directory(int directory)
{
	struct git_parts parts = { 0 };
	git_look(directory, GIT_HEAD, &parts);
	for (enum git_part part = GIT_HEAD + 1; part < GIT_PARTS && parts.has[GIT_HEAD]; part++)
		git_look(directory, part, &parts);
	return git_decide(&parts);
}

char *git_pointer(char *text, size_t length, const char *prefix)
{
	size_t skipped = strlen(prefix);
	while (length > 0 && (text[length - 1] == '\n' || text[length - 1] == '\r'))
		length--;
	text[length] = '\0';
	if (length <= skipped || !begins(text, length, prefix) || memchr(text, '\0', length) ||
	    memchr(text, '\n', length))
		return NULL;
	return text + skipped;
}

const char *git_read_pointer(int directory, const char *name, const char *prefix,
			     char text[GIT_POINTER_MAX])
{
	size_t length;
	if (file_read_into(directory, name, 0, text, GIT_POINTER_MAX, &length) <= 0)
		return NULL;
	return git_pointer(text, length, prefix);
}
