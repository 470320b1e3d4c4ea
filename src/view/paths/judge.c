// Owns the search for a path's mount in the plan.
#include "view/paths/wishes.h"

#include "base/base.h"
#include "plan.h"

static enum verdict_of_path by_access(const struct mount *mount)
{
	switch (mount->access) {
	case ACCESS_READ:
		return PATH_READ;
	case ACCESS_WRITE:
	case ACCESS_DEVICE:
		return mount->cache ? PATH_PRIVATE : PATH_WRITE;
	case ACCESS_NOTHING:
		break;
	}
	return PATH_HIDDEN;
}

struct judgement judge_path(const struct plan *plan, const char *path)
{
	struct judgement judgement = { PATH_ABSENT, NULL };
	for (unsigned i = 0; i < plan->mount_count; i++) {
		const struct mount *mount = &plan->mounts[i];
		if (!path_within(path, mount->target))
			continue;
		bool itself = str_equal(path, mount->target);
		switch (mount->kind) {
		case MOUNT_DIRECTORY:
			if (judgement.verdict == PATH_ABSENT && itself)
				judgement = (struct judgement){ PATH_READ, mount };
			break;
		case MOUNT_LINK:
		case MOUNT_TEXT:
		case MOUNT_PROC:
		case MOUNT_SELF:
			judgement = (struct judgement){ PATH_READ, mount };
			break;
		case MOUNT_TMPFS:
			if (str_equal(mount->target, "/") && !itself)
				break;
			judgement = (struct judgement){ PATH_PRIVATE, mount };
			break;
		case MOUNT_SCRATCH:
		case MOUNT_PTS:
		case MOUNT_COPY:
			judgement = (struct judgement){ PATH_PRIVATE, mount };
			break;
		case MOUNT_LAYERS:
			judgement = (struct judgement){ PATH_WRITE, mount };
			break;
		case MOUNT_MASK:
			judgement = (struct judgement){ PATH_HIDDEN, mount };
			break;
		case MOUNT_BIND:
			judgement = (struct judgement){ by_access(mount), mount };
			break;
		}
	}
	return judgement;
}

bool judge_shows(const struct plan *plan, const char *path)
{
	struct judgement judgement = judge_path(plan, path);
	return judgement.verdict == PATH_READ || judgement.verdict == PATH_WRITE ||
	       (judgement.by && judgement.by->kind == MOUNT_LINK) ||
	       (judgement.verdict == PATH_PRIVATE && judgement.by->kind == MOUNT_SCRATCH);
}

static const struct item *find_above(const struct list *list, const char *path)
{
	list_each (item, list)
		if (path_within(path, item->text))
			return item;
	return NULL;
}

const struct item *judge_final(const struct plan *plan, const char *path, bool write)
{
	const struct item *hidden = find_above(&plan->hidden, path);
	return hidden || !write ? hidden : find_above(&plan->kept, path);
}
