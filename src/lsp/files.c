// Owns the judgement of paths that a language server names.
#include "lsp/lsp.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/base.h"
#include "names/trusted.h"
#include "plan.h"
#include "text/words.h"

enum { LINKS_MAX = 40 };

// --- what is decided once ------------------------------------------------------------------------

static ssize_t read_link(const char *path, char *text, size_t size)
{
	return readlinkat(AT_FDCWD, path, text, size);
}

static char *copy(const char *text)
{
	char *copied = strdup(text);
	if (!copied)
		abort();
	return copied;
}

static void keep(struct lsp_files *files, const char *path)
{
	if (path_within(path, files->project) && !str_equal(path, files->project))
		files->kept[files->kept_count++] = copy(path);
}

// What the box may change as the host has it.
static bool is_open(const struct mount *mount)
{
	return mount->kind == MOUNT_BIND && mount->access == ACCESS_WRITE && !mount->cache;
}

void lsp_files_plan(const struct plan *plan, struct lsp_files *ret_files)
{
	struct lsp_files *files = ret_files;
	*files = (struct lsp_files){ .names = !plan->unprotected, .read_link = read_link };
	if (!plan->project)
		return;
	files->project = copy(plan->project);
	files->kept =
		calloc((size_t)plan->mount_count + plan->guard_count + 1, sizeof(*files->kept));
	if (!files->kept)
		abort();
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (!is_open(&plan->mounts[i]))
			keep(files, plan->mounts[i].target);
	for (unsigned i = 0; i < plan->guard_count; i++)
		if (plan->guards[i].kind < GUARD_PARTS)
			keep(files, plan->guards[i].path);
}

// --- where a path leads --------------------------------------------------------------------------

struct way {
	char real[PATH_MAX]; // of what was walked, "" is the root
	char rest[PATH_MAX]; // what is to be walked, begins with a slash or is ""
	unsigned links;
};

// A link that lies at way->real.
static bool follow(struct way *way, const char *text, size_t length)
{
	char rest[PATH_MAX];
	if (way->links++ >= LINKS_MAX || strlen(text) != length ||
	    !str_put(rest, sizeof(rest), "/%s%s", text, way->rest))
		return false;
	*(text[0] == '/' ? way->real : strrchr(way->real, '/')) = '\0';
	memcpy(way->rest, rest, sizeof(rest));
	return true;
}

// 1 it goes on, 0 nothing is there from here on, -1 it leads nowhere that is known.
static int walk(const struct lsp_files *files, struct way *way)
{
	char name[NAME_MAX + 1], text[PATH_MAX];
	size_t slashes = strspn(way->rest, "/"), length = strcspn(way->rest + slashes, "/");
	size_t begun = strlen(way->real);
	if (length > NAME_MAX || begun + length + 2 > sizeof(way->real))
		return -1;
	memcpy(name, way->rest + slashes, length);
	name[length] = '\0';
	memmove(way->rest, way->rest + slashes + length, strlen(way->rest + slashes + length) + 1);
	if (length == 0 || str_equal(name, "."))
		return 1;
	if (str_equal(name, "..")) {
		char *slash = strrchr(way->real, '/');
		if (slash)
			*slash = '\0';
		return 1;
	}
	way->real[begun] = '/';
	memcpy(way->real + begun + 1, name, length + 1);
	ssize_t got = files->read_link(way->real, text, sizeof(text) - 1);
	if (got >= 0) {
		text[got] = '\0';
		return follow(way, text, (size_t)got) ? 1 : -1;
	}
	return errno == EINVAL ? 1 : errno == ENOENT ? 0 : -1;
}

// What is not there yet is as it is written, and then nothing leads out of it again.
static bool resolve(const struct lsp_files *files, const char *path, struct way *way)
{
	int result = 1;
	*way = (struct way){ .links = 0 };
	if (!str_put(way->rest, sizeof(way->rest), "%s", path))
		return false;
	while (result > 0 && way->rest[0])
		result = walk(files, way);
	if (result < 0)
		return false;
	for (const char *part = way->rest; part; part = strchr(part + 1, '/'))
		if (str_equal(part, "/..") || str_starts(part, "/../"))
			return false;
	size_t begun = strlen(way->real);
	return begun + strlen(way->rest) < sizeof(way->real) &&
	       str_put(way->real + begun, sizeof(way->real) - begun, "%s", way->rest);
}

// --- the answers ---------------------------------------------------------------------------------

// In whatever case: some file systems fold it.
static bool is_within(const char *path, const char *directory)
{
	size_t length = strlen(directory);
	return strncasecmp(path, directory, length) == 0 &&
	       (path[length] == '\0' || path[length] == '/');
}

static bool has_git(const char *path)
{
	for (const char *part = path; part; part = strchr(part, '/') ? strchr(part, '/') + 1 : NULL)
		if (component_is_git(part))
			return true;
	return false;
}

static const char *refuse_place(const struct lsp_files *files, const char *path, struct way *way)
{
	if (!resolve(files, path, way))
		return "where it leads is not known";
	if (!files->project || !path_within(way->real, files->project))
		return "it is outside of the project";
	return NULL;
}

const char *lsp_files_refuse_show(const struct lsp_files *files, const char *path)
{
	struct way way;
	return refuse_place(files, path, &way);
}

const char *lsp_files_refuse_edit(const struct lsp_files *files, const char *path)
{
	struct way way;
	const char *why = refuse_place(files, path, &way);
	if (why)
		return why;
	if (str_equal(way.real, files->project))
		return "it is the project itself";
	const char *inside = way.real + strlen(files->project) + !str_equal(files->project, "/");
	if (files->names && (has_git(inside) || trusted_is_protected(inside)))
		return "your own programs run or trust it";
	for (unsigned i = 0; i < files->kept_count; i++)
		if (is_within(way.real, files->kept[i]) || is_within(files->kept[i], way.real))
			return "the box may not change it, or what is in it";
	return NULL;
}
