// The kernel's table of mounts: what is read from it, and what it proves.
#include "test.h"

#include <string.h>

#include "base/base.h"
#include "view/paths/wishes.h"

static struct arena *arena;

static struct mounts parse(const char *text)
{
	struct mounts mounts;
	assert_int_equal(mounted_parse(arena, text, strlen(text), &mounts), 0);
	return mounts;
}

static void lines(void **state)
{
	(void)state;
	struct mounts mounts = parse(
		"21 26 0:20 / /proc rw,relatime - proc proc rw\n"
		"30 26 8:1 /a\\040b\\134 /x\\011y ro,nosuid shared:1 master:2 - ext4 /dev/sda1 rw\n"
		"31 26 8:2 / /z rw - ext4 /dev/sda2 ro,errors=remount-ro\n");
	assert_int_equal(mounts.count, 3);
	const struct mounted *one = mounted_find(&mounts, 30);
	assert_non_null(one);
	assert_string_equal(one->root, "/a b\\");
	assert_string_equal(one->point, "/x\ty");
	assert_false(one->writable);
	assert_true(mounted_find(&mounts, 21)->writable);
	assert_false(mounted_find(&mounts, 31)->writable);
	assert_null(mounted_find(&mounts, 26));
}

static void broken_lines(void **state)
{
	static const char *const texts[] = {
		"21 26 0:20 / /proc rw - proc proc rw", // cut
		"21 26 0:20 / /proc rw proc proc rw\n",
		"21 26 020 / /proc rw - proc proc rw\n",
		"x 26 0:20 / /proc rw - proc proc rw\n",
		"21 26 0:20 / proc rw - proc proc rw\n",
		"\n",
	};
	struct mounts mounts;
	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(mounted_parse(arena, texts[i], strlen(texts[i]), &mounts), -1);
}

// The project is a mount, its .git is one over itself, and the hooks are one that is read-only.
#define VIEW                                                                                       \
	"1 0 8:1 /home/p /w/p rw - ext4 d rw\n"                                                    \
	"2 1 8:1 /home/p/.git /w/p/.git rw - ext4 d rw\n"                                          \
	"3 2 8:1 /home/p/.git/hooks /w/p/.git/hooks ro - ext4 d rw\n"

static void one_way(void **state)
{
	struct mounts mounts = parse(VIEW "4 0 8:2 /home/p /other rw - ext4 e rw\n"
					  "5 0 8:1 /home/p /copy ro - ext4 d rw\n"
					  "6 0 8:1 /home/q /w/q rw - ext4 d rw\n");
	(void)state;
	assert_false(mounted_elsewhere(&mounts, 3, "/w/p/.git/hooks"));
	assert_false(mounted_elsewhere(&mounts, 2, "/w/p/.git"));
	assert_false(mounted_opens(&mounts, "/w/p/.git/hooks"));
	assert_true(mounted_opens(&mounts, "/w/p"));
}

static void other_ways(void **state)
{
	static const char *const ways[] = {
		VIEW "4 0 8:1 / /host rw - ext4 d rw\n",
		VIEW "4 0 8:1 /home /srv rw - ext4 d rw\n",
		VIEW "4 0 8:1 /home/p/.git/hooks /h rw - ext4 d rw\n",
		VIEW "4 0 8:1 /home/p /w/p/again rw - ext4 d rw\n",
	};
	(void)state;
	for (size_t i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		struct mounts mounts = parse(ways[i]);
		assert_true(mounted_elsewhere(&mounts, 3, "/w/p/.git/hooks"));
	}
	// A way that begins between the mount and the path.
	struct mounts mounts = parse("1 0 8:1 / / rw - ext4 d rw\n"
				     "2 0 8:1 /p/.git /mine rw - ext4 d rw\n"
				     "3 0 8:1 /p/.gitx /other rw - ext4 d rw\n");
	assert_true(mounted_elsewhere(&mounts, 1, "/p/.git/hooks"));
	assert_true(mounted_elsewhere(&mounts, 1, "/p/.git"));
	assert_false(mounted_elsewhere(&mounts, 1, "/p/src"));
	assert_false(mounted_elsewhere(&mounts, 1, "/p"));
}

static void writable_below(void **state)
{
	struct mounts mounts = parse(VIEW "4 3 0:9 /_ /w/p/.git/hooks/_ rw - tmpfs t rw\n");
	(void)state;
	assert_true(mounted_opens(&mounts, "/w/p/.git/hooks"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines),          cmocka_unit_test(broken_lines),
		cmocka_unit_test(one_way),        cmocka_unit_test(other_ways),
		cmocka_unit_test(writable_below),
	};
	arena = arena_new();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
