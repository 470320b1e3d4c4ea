// Owns the way between layers and archives.
#include "session/archive/archive.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/fd.h"
#include "base/out.h"
#include "base/str.h"
#include "session/archive/tar.h"
#include "session/compare/changes.h"
#include "session/store/merged.h"
#include "session/store/rights.h"
#include "text/component.h"

static const char whiteout[] = ".wh.", opaque[] = ".wh..wh..opq";
enum {
	DIRECTORY_FLAGS = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
	DEPTH_MAX = 256,
	BUFFER = 65536,
	LINKS_MAX = 65536,
	HOLES_MAX = 64 << 20 // bytes: what the archive grows by them
};

struct archive_writer {
	struct arena *arena;
	int fd;
	struct {
		dev_t device;
		ino_t inode;
		const char *name;
	} *links; // of files with several names: where the first was written
	unsigned link_count, left_out, deep, holed, repositories;
	off_t holes;
	const char *repository; // the first one
};

static int put_header(struct archive_writer *writer, const struct tar_entry *entry)
{
	struct out out = { 0 };
	tar_put(&out, entry);
	return out_write(&out, writer->fd) < 0 ? fail(errno, "write the archive") : 0;
}

static int put_content(struct archive_writer *writer, int from, uint64_t size)
{
	static char buffer[BUFFER];
	uint64_t padded = (size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	if (lseek(from, 0, SEEK_SET) != 0)
		return fail(errno, "read a file of the session");
	for (uint64_t done = 0; done < padded;) {
		size_t want = padded - done < BUFFER ? (size_t)(padded - done) : BUFFER;
		ssize_t got = done < size ? fd_read_all(from, buffer, want) : 0;
		if (got < 0)
			return fail(errno, "read a file of the session");
		memset(buffer + got, 0,
		       want - (size_t)got); // the padding, and what has become shorter
		if (fd_write_all(writer->fd, buffer, want) < 0)
			return fail(errno, "write the archive");
		done += want;
	}
	return 0;
}

static const char *linked_name(struct archive_writer *writer, const struct stat *status,
			       const char *name)
{
	for (unsigned i = 0; i < writer->link_count; i++)
		if (writer->links[i].inode == status->st_ino &&
		    writer->links[i].device == status->st_dev)
			return writer->links[i].name;
	if (writer->link_count < LINKS_MAX) {
		writer->links[writer->link_count].device = status->st_dev;
		writer->links[writer->link_count].inode = status->st_ino;
		writer->links[writer->link_count++].name = name;
	}
	return NULL;
}

// A box can make files of any size from holes; each name of one counts. A compressed file has none.
static bool is_left_out(struct archive_writer *writer, int fd, const struct stat *status)
{
	off_t holes = status->st_size - status->st_blocks * (off_t)TAR_BLOCK;
	if (holes <= 0 || lseek(fd, 0, SEEK_HOLE) >= status->st_size)
		return false;
	writer->holed += holes > HOLES_MAX - writer->holes;
	if (holes > HOLES_MAX - writer->holes)
		return true;
	writer->holes += holes;
	return false;
}

static int write_file(struct archive_writer *writer, struct tar_entry *entry, int directory,
		      const struct entry *found)
{
	autoclose int fd =
		openat(directory, found->name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0)
		return fail(errno, "read '%s' of the session", str_shown(found->name));
	if (is_left_out(writer, fd, &found->status))
		return 0;
	const char *first = found->status.st_nlink > 1
				    ? linked_name(writer, &found->status, entry->name)
				    : NULL;
	if (first) {
		entry->type = '1';
		entry->link = first;
		return put_header(writer, entry);
	}
	entry->type = '0';
	entry->size = (uint64_t)found->status.st_size;
	entry->mode = rights_without_acl(fd, entry->mode);
	TRY(put_header(writer, entry));
	return put_content(writer, fd, entry->size);
}

static int write_directory(struct archive_writer *writer, const struct merged *merged,
			   const char *path, int depth);

// A file or a link that leads git elsewhere.
static void note_pointer(struct archive_writer *writer, const struct entry *found, const char *path)
{
	bool pointer = S_ISREG(found->status.st_mode) || S_ISLNK(found->status.st_mode);
	if (pointer && component_is_git(found->name) && writer->repositories++ == 0)
		writer->repository = path;
}

static int write_one(struct archive_writer *writer, const struct merged *merged,
		     const struct entry *found, const char *path, int depth)
{
	char link[PATH_MAX];
	struct merged below;
	int directory = merged->fds[found->from];
	struct tar_entry entry = { .uid = found->status.st_uid,
				   .gid = found->status.st_gid,
				   .seconds = found->status.st_mtim.tv_sec,
				   .nanoseconds = found->status.st_mtim.tv_nsec };
	if (str_starts(found->name, whiteout)) {
		writer->left_out++;
		return 0;
	}
	entry.name = arena_text(writer->arena, "%s/%s", path, found->name);
	note_pointer(writer, found, path);
	entry.mode = found->status.st_mode & 01777;
	if (is_whiteout(&found->status)) {
		entry = (struct tar_entry){ .type = '0',
					    .mode = 0600,
					    .name = arena_text(writer->arena, "%s/%s%s", path,
							       whiteout, found->name) };
		return put_header(writer, &entry);
	}
	switch (found->status.st_mode & S_IFMT) {
	case S_IFREG:
		return write_file(writer, &entry, directory, found);
	case S_IFLNK: {
		ssize_t length = readlinkat(directory, found->name, link, sizeof(link) - 1);
		if (length < 0)
			return fail(errno, "read a link of the session");
		entry.type = '2';
		entry.link = arena_copy(writer->arena, link, (size_t)length);
		return put_header(writer, &entry);
	}
	case S_IFIFO:
		entry.type = '6';
		return put_header(writer, &entry);
	case S_IFDIR:
		if (depth == DEPTH_MAX) {
			writer->deep++;
			return 0;
		}
		entry.type = '5';
		TRY(merged_below(merged, found->name, &below));
		entry.mode = rights_without_acl(below.fds[0], entry.mode);
		TRY(put_header(writer, &entry));
		int result = write_directory(writer, &below, entry.name, depth + 1);
		merged_close(&below);
		return result;
	default:          // a bit pattern, not an enum
		return 0; // sockets are of a moment
	}
}

static int write_directory(struct archive_writer *writer, const struct merged *merged,
			   const char *path, int depth)
{
	struct entry *entries;
	int count = merged_list(writer->arena, merged, &entries);
	TRY(count);
	if (repository_is_shown(merged, -1) && writer->repositories++ == 0)
		writer->repository = path;
	if (merged->opaque && depth > 0) {
		struct tar_entry entry = { .type = '0',
					   .mode = 0600,
					   .name = arena_text(writer->arena, "%s/%s", path,
							      opaque) };
		TRY(put_header(writer, &entry));
	}
	for (int i = 0; i < count; i++)
		TRY(write_one(writer, merged, &entries[i], path, depth));
	return 0;
}

static void tell(const struct archive_writer *writer, struct out *notes)
{
	if (writer->left_out > 0)
		out_text(notes,
			 "sbx: %u names that begin with '%s', which means a removal in an archive, "
			 "were left out\n",
			 writer->left_out, whiteout);
	if (writer->deep > 0)
		out_text(notes,
			 "sbx: %u directories are more than %d levels deep and were left out\n",
			 writer->deep, DEPTH_MAX);
	if (writer->holed > 0)
		out_text(notes,
			 "sbx: %u sparse files were left out, as holes are zeros in the archive, "
			 "%d MiB at most; to take them: sbx session cp\n",
			 writer->holed, HOLES_MAX >> 20);
	if (writer->repositories > 0)
		out_text(notes,
			 "sbx: the session made %u git repositor%s, the first is %s; after tar x, "
			 "git runs the commands of the configuration and hooks there; after sbx "
			 "session import it does not\n",
			 writer->repositories, writer->repositories == 1 ? "y" : "ies",
			 str_shown(writer->repository));
}

int archive_write(struct store *store, const struct held *held, int fd, struct out *notes)
{
	static const char end[2 * TAR_BLOCK];
	const struct session *session = &held->session;
	struct archive_writer writer = { .arena = store->arena, .fd = fd };
	writer.links = arena_take(store->arena, LINKS_MAX * sizeof(*writer.links));
	// Which of the paths is the project, for a reader elsewhere.
	struct tar_entry mark = {
		.type = '2', .mode = 0777, .name = ".sbx-project", .link = session->project
	};
	TRY(put_header(&writer, &mark));
	for (unsigned i = 0; i < session->root_count; i++) {
		struct merged merged;
		TRY(merged_open(store, session, session->top, CHAIN_MAX, i, &merged));
		int result = write_directory(&writer, &merged, session->roots[i].path + 1, 0);
		merged_close(&merged);
		TRY(result);
	}
	tell(&writer, notes);
	return fd_write_all(fd, end, sizeof(end)) < 0 ? fail(errno, "write the archive") : 0;
}
