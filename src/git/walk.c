// Owns the order of a walk: by name, each directory before what lies in it.
#include "git/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/fd.h"
#include "base/str.h"
#include "base/trusted.h"
#include "git/recognise.h"

// A small tree is seen whole, however slow the machine: so many entries are looked at in any case.
enum { ENTRIES_LEAST = 512, CLOCK_EACH = 64, DEPTH_MOST = 240 };
enum { LARGEST_NANOSECONDS = 1000000000 };

// The directories in one: names behind each other.
struct names {
	char *text;
	size_t used, size;
	unsigned count;
};

static long processor_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); // a busy machine counts for nothing
	return now.tv_sec * 1000000000L + now.tv_nsec;
}

// One directory more than before is looked at in any case, be it large: else no look would ever
// come further.
static bool is_over(struct walk *walk)
{
	if (walk->cut)
		return true;
	if (++walk->entries <= ENTRIES_LEAST || walk->entries % CLOCK_EACH != 0)
		return false;
	long used = processor_now() - walk->begin;
	if (walk->directories > 0)
		walk->cut = used > walk->processor;
	else if (used > LARGEST_NANOSECONDS)
		walk->lost = true;
	return walk->cut || (walk->lost && walk->directories == 0);
}

static void add_name(struct names *names, const char *name)
{
	size_t length = strlen(name) + 1;
	if (names->used + length > names->size) {
		names->size = (names->size + length) * 2;
		names->text = realloc(names->text, names->size);
		if (!names->text)
			abort();
	}
	memcpy(names->text + names->used, name, length);
	names->used += length;
	names->count++;
}

static int compare(const void *left, const void *right)
{
	return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static const char **sort_names(const struct names *names)
{
	const char **sorted = calloc(names->count + 1, sizeof(*sorted)), *at = names->text;
	if (!sorted)
		abort();
	for (unsigned i = 0; i < names->count; i++, at += strlen(at) + 1)
		sorted[i] = at;
	qsort(sorted, names->count, sizeof(*sorted), compare);
	return sorted;
}

static bool go_to(struct walk *walk, size_t length, const char *name)
{
	size_t more = strlen(name) + 1;
	if (length + more >= sizeof(walk->path))
		return false;
	walk->path[length] = '/';
	memcpy(walk->path + length + 1, name, more);
	walk->length = length + more;
	return true;
}

static void go_back(struct walk *walk, size_t length)
{
	walk->path[length] = '\0';
	walk->length = length;
}

// The entries of one directory; false when time is over. `again`: on the way to where the look
// before was cut.
static bool read_entries(struct walk *walk, int directory, struct names *below, bool again)
{
	size_t length = walk->length;
	bool head = false, git = false;
	int fd = dup(directory);
	DIR *stream = fd < 0 ? NULL : fdopendir(fd);
	if (!stream && fd >= 0)
		close(fd);
	for (struct dirent *entry = stream ? readdir(stream) : NULL; entry && !is_over(walk);
	     entry = readdir(stream)) {
		const char *name = entry->d_name;
		if (str_equal(name, ".") || str_equal(name, ".."))
			continue;
		head = head || strcasecmp(name, "HEAD") == 0;
		git = git || trusted_is_git(name); // the file system says whether it is one
		if (!go_to(walk, length, name)) {
			walk->lost = true;
			continue;
		}
		if (walk->entry && !again)
			walk->entry(walk, directory, entry);
		go_back(walk, length);
		if ((entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN) &&
		    !str_equal(name, ".git"))
			add_name(below, name);
	}
	if (stream)
		closedir(stream);
	if (git && !again && walk->depth > 0 && go_to(walk, length, ".git"))
		walk->repository(walk, directory, ".git");
	go_back(walk, length);
	if (head && !again && walk->depth > 0 && git_directory(directory) != GIT_NONE)
		walk->repository(walk, directory, ".");
	return !walk->cut;
}

static const char *rest_of(const char *place, const char *name)
{
	size_t length = strlen(name);
	return place[length] == '/' ? place + length + 1 : NULL;
}

// How a name stands to the first component of a place.
static int order_of(const char *name, const char *place)
{
	size_t length = strcspn(place, "/");
	int order = strncmp(name, place, length);
	return order ? order : name[length] != '\0';
}

static void visit(struct walk *walk, int directory, const char *from, const char *until);

static void go_down(struct walk *walk, int directory, const char *name, const char *from,
		    const char *until)
{
	size_t length = walk->length;
	if (!go_to(walk, length, name)) {
		walk->lost = true;
		return;
	}
	autoclose int below = openat(directory, name,
				     O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (below < 0 && (errno == EMFILE || errno == ENFILE || errno == ENOMEM))
		walk->lost = true;
	if (below >= 0 && (!walk->passes || !walk->passes(walk))) {
		walk->depth++;
		visit(walk, below, from, until);
		walk->depth--;
	}
	go_back(walk, length);
}

// `from` and `until` are places below this directory, or NULL. What lies before the one was looked
// at, and from the other on.
static void visit(struct walk *walk, int directory, const char *from, const char *until)
{
	struct names names = { 0 };
	bool whole = read_entries(walk, directory, &names, from != NULL);
	walk->directories += from == NULL;
	if (!whole && walk->place[0] == '\0' && walk->length > walk->root)
		memcpy(walk->place, walk->path + walk->root + 1, walk->length - walk->root);
	bool stays = walk->depth == (walk->levels ? walk->levels : DEPTH_MOST);
	walk->deeper = walk->deeper || (stays && names.count > 0 && walk->levels);
	walk->lost = walk->lost || (stays && names.count > 0 && !walk->levels);
	const char **sorted = whole && !stays && names.count ? sort_names(&names) : NULL;
	for (unsigned i = 0; sorted && i < names.count && !walk->cut; i++) {
		int after = from ? order_of(sorted[i], from) : 1,
		    before = until ? order_of(sorted[i], until) : -1;
		if (before > 0 || (before == 0 && !rest_of(until, sorted[i])))
			break;
		if (after >= 0)
			go_down(walk, directory, sorted[i],
				after == 0 ? rest_of(from, sorted[i]) : NULL,
				before == 0 ? rest_of(until, sorted[i]) : NULL);
	}
	free(sorted);
	free(names.text);
}

long walk_tree(struct walk *walk, const char *root, const char *place)
{
	walk->length = walk->root = strlen(root);
	if (walk->length >= sizeof(walk->path))
		return 0;
	memcpy(walk->path, root, walk->length + 1);
	walk->place[0] = '\0';
	walk->begin = processor_now();
	walk->directories = 0;
	autoclose int fd = open(root, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	visit(walk, fd, place[0] ? place : NULL, NULL);
	walk->round = !walk->cut && place[0];
	if (walk->round)
		visit(walk, fd, NULL, place);
	return processor_now() - walk->begin;
}
