// libFuzzer: blocks of a tar archive -> headers and their words; what is read is written and read
// again.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "session/archive/tar.h"
#include "text/acl.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_path(struct arena *arena, const char *name)
{
	const char *path = tar_path(arena, name);
	if (path && (path[0] == '/' || !path[0] || strstr(path, "//") || str_equal(path, "..") ||
		     str_starts(path, "../") || strstr(path, "/../") || str_ends(path, "/..") ||
		     str_ends(path, "/")))
		abort();
}

static bool find(enum acl_tag tag, const char *name, uint32_t *ret_id)
{
	*ret_id = tag == ACL_USER ? 1000 : 100;
	return str_equal(name, "known");
}

// What is read is in the kernel's order, gives nobody more than the owner, and is read again as it
// is written. Without it nobody has more.
static void check_acl(const char *text)
{
	static struct acl acl, again;
	struct out out = { 0 };
	if (!text || !acl_read(text, find, &acl))
		return;
	acl_put(&out, &acl);
	out_bytes(&out, "", 1);
	if (acl.size > ACL_MAX || !acl_read(out.text, find, &again) || again.size != acl.size ||
	    memcmp(again.bytes, acl.bytes, acl.size) != 0)
		abort();
	mode_t whole = acl_mode(&acl, 0), without = acl_mode_without(&acl, whole);
	acl_limit(&acl);
	mode_t less = acl_mode(&acl, 0);
	if ((without & ~whole) || (less & ~whole) || (less >> 3 & ~(less >> 6) & 7) ||
	    (less & ~(less >> 6) & 7))
		abort();
	out_free(&out);
}

static bool same_text(const char *left, const char *right)
{
	return left == right || (left && right && str_equal(left, right));
}

static void check_again(struct arena *arena, const struct tar_entry *entry)
{
	struct out out = { 0 };
	struct tar_entry words, again;
	tar_put(&out, entry);
	if (out.used % TAR_BLOCK != 0 || tar_header(arena, out.text, &words) != 1 ||
	    words.type != 'x')
		abort();
	size_t padded = (words.size + TAR_BLOCK - 1) / TAR_BLOCK * TAR_BLOCK;
	if (tar_header(arena, out.text + TAR_BLOCK + padded, &again) != 1 ||
	    tar_extend(arena, out.text + TAR_BLOCK, words.size, &again) < 0)
		abort();
	if (!str_equal(again.name, entry->name) || again.size != entry->size ||
	    again.mode != entry->mode || again.attribute_count != entry->attribute_count ||
	    !same_text(again.access, entry->access) || !same_text(again.given, entry->given))
		abort();
	out_free(&out);
}

// Parts of a sparse file are in order, none is outside, and what is written is read again.
static void check_sparse(struct arena *arena, const uint8_t *data, size_t size)
{
	enum { REAL_SIZE = 1 << 20 };
	struct sparse sparse = { .count = 0 }, again = { .count = 0 };
	struct out out = { 0 };
	uint64_t end = 0;
	int done = 0;
	for (size_t at = 0; done == 0 && at + TAR_BLOCK <= size; at += TAR_BLOCK)
		done = sparse_feed(arena, &sparse, (const char *)data + at, REAL_SIZE);
	err_taken();
	if (done < 1)
		return;
	for (unsigned i = 0; i < sparse.count; i++) {
		const struct sparse_part *part = &sparse.list[i];
		if (part->at < end || part->size > REAL_SIZE - part->at)
			abort();
		end = part->at + part->size;
	}
	sparse_put(&out, &sparse);
	done = 0;
	for (size_t at = 0; done == 0 && at < out.used; at += TAR_BLOCK)
		done = sparse_feed(arena, &again, out.text + at, REAL_SIZE);
	if (done != 1 || again.count != sparse.count || again.bytes != sparse.bytes)
		abort();
	out_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *arena = arena_new();
	check_sparse(arena, data, size);
	struct tar_entry entry = { .type = '0', .name = "x", .link = "y" };
	char block[TAR_BLOCK] = { 0 };
	memcpy(block, data, size < TAR_BLOCK ? size : TAR_BLOCK);
	if (tar_header(arena, block, &entry) == 1)
		check_path(arena, entry.name);
	err_taken();
	entry = (struct tar_entry){ .type = '0', .name = "x", .link = "y" };
	const char *text = arena_copy(arena, (const char *)data, size);
	if (tar_extend(arena, text, size, &entry) == 0) {
		check_path(arena, entry.name);
		check_again(arena, &entry);
		check_acl(entry.access);
		check_acl(entry.given);
	}
	err_taken();
	check_path(arena, text);
	check_acl(text);
	arena_free(arena);
	return 0;
}
