// Owns the table of git's keys that a box may add. Git has more than sixty keys that run a
// program, and a dozen that move data to another place. A key that is not in the table is
// withheld.
#include "git/gitconfig.h"

#include <stddef.h>
#include <string.h>

#include "base/base.h"

const char *const gitkey_whys[GITKEY_WHYS] = {
	[GITKEY_OTHER] = "git could run it or open what it names, or it is unknown",
	[GITKEY_PUSH] = "git would send your pushes elsewhere",
	[GITKEY_PULL] = "git would pull something else",
	[GITKEY_CONNECT] = "each git command would connect by itself",
	[GITKEY_READ] = "git would read this repository in another way",
	[GITKEY_NEAR] = "not an address by https, ssh or git",
	[GITKEY_AUTHOR] = "your commits would carry another name",
	[GITKEY_DAILY] = "your git would do something else",
};

static const struct gitkey keys[] = {
	{ "branch.*.description", GITKEY_TEXT, GITKEY_OTHER, false, 0 },
	{ "branch.*.remote", GITKEY_TRACKED, GITKEY_PUSH, false, 0 },
	{ "branch.*.pushremote", GITKEY_TRACKED, GITKEY_PUSH, false, 0 },
	{ "branch.*.merge", GITKEY_MERGED, GITKEY_PULL, false, 0 },
	{ "branch.*.rebase", GITKEY_WORDS, GITKEY_PULL, false, "true false merges interactive" },
	{ "remote.*.url", GITKEY_ADDRESS, GITKEY_PUSH, false, 0 },
	{ "remote.*.pushurl", GITKEY_ADDRESS, GITKEY_PUSH, false, 0 },
	{ "remote.*.fetch", GITKEY_FETCH, GITKEY_PULL, false, 0 },
	{ "remote.*.tagopt", GITKEY_WORDS, GITKEY_PULL, false, "--tags --no-tags" },
	{ "remote.*.prune", GITKEY_BOOLEAN, GITKEY_PULL, false, 0 },
	{ "submodule.*.url", GITKEY_ADDRESS, GITKEY_PULL, false, 0 },
	{ "submodule.*.active", GITKEY_BOOLEAN, GITKEY_PULL, false, 0 },
	{ "submodule.*.branch", GITKEY_NAME, GITKEY_PULL, false, 0 },
	{ "submodule.*.update", GITKEY_WORDS, GITKEY_PULL, false, "checkout rebase merge none" },
	{ "core.worktree", GITKEY_WORKTREE, GITKEY_READ, false, 0 },
	{ "core.sparsecheckout", GITKEY_BOOLEAN, GITKEY_READ, false, 0 },
	{ "core.sparsecheckoutcone", GITKEY_BOOLEAN, GITKEY_READ, false, 0 },
	{ "index.sparse", GITKEY_BOOLEAN, GITKEY_READ, false, 0 },
	{ "extensions.worktreeconfig", GITKEY_BOOLEAN, GITKEY_READ, false, 0 },
	{ "core.filemode", GITKEY_BOOLEAN, GITKEY_READ, true, 0 },
	{ "core.ignorecase", GITKEY_BOOLEAN, GITKEY_READ, true, 0 },
	{ "core.symlinks", GITKEY_BOOLEAN, GITKEY_READ, true, 0 },
	{ "core.precomposeunicode", GITKEY_BOOLEAN, GITKEY_READ, true, 0 },
	{ "core.logallrefupdates", GITKEY_WORDS, GITKEY_READ, true, "true false always" },
	{ "core.bare", GITKEY_BOOLEAN, GITKEY_READ, true, 0 },
	{ "core.repositoryformatversion", GITKEY_WORDS, GITKEY_READ, true, "0 1" },
	{ "extensions.objectformat", GITKEY_WORDS, GITKEY_READ, true, "sha1 sha256" },
	{ "extensions.refstorage", GITKEY_WORDS, GITKEY_READ, true, "files reftable" },
	{ "extensions.partialclone", GITKEY_PARTIAL, GITKEY_CONNECT, true, 0 },
	{ "remote.*.promisor", GITKEY_PARTIAL, GITKEY_CONNECT, true, 0 },
	{ "remote.*.partialclonefilter", GITKEY_PARTIAL, GITKEY_CONNECT, true, 0 },
	{ "submodule.active", GITKEY_TEXT, GITKEY_PULL, true, 0 },
	{ "remote.*.push", GITKEY_NONE, GITKEY_PUSH, false, 0 },
	{ "remote.*.mirror", GITKEY_NONE, GITKEY_PUSH, false, 0 },
	{ "remote.pushdefault", GITKEY_NONE, GITKEY_PUSH, false, 0 },
	{ "push.*", GITKEY_NONE, GITKEY_PUSH, false, 0 },
	{ "user.*", GITKEY_NONE, GITKEY_AUTHOR, false, 0 },
};

static const char noted[] =
	"advice.* branch.*.gh-merge-base branch.*.github-pr-base-branch "
	"branch.*.github-pr-owner-number branch.*.vscode-merge-base core.filemode core.ignorecase "
	"core.precomposeunicode core.symlinks gui.* lfs.*.access lfs.*.locksverify "
	"lfs.repositoryformatversion maintenance.auto maintenance.strategy";

// Settings of everyday use. None runs or opens anything.
static const char daily[] =
	"am.keepcr branch.*.description branch.autosetup* branch.sort color.* commit.verbose "
	"core.autocrlf core.eol core.safecrlf core.sparse* diff.algorithm diff.colormoved "
	"diff.mnemonicprefix diff.noprefix diff.renames fetch.prune gc.auto gitflow.* index.* "
	"init.defaultbranch log.date log.decorate merge.conflictstyle merge.ff merge.renames "
	"merge.stat pull.* rebase.* rerere.* status.* tag.sort user.*";

static bool is_called(const char *name, const char *pattern)
{
	const char *star = strchr(pattern, '*');
	if (!star)
		return str_equal(name, pattern);
	size_t front = (size_t)(star - pattern), back = strlen(star + 1), length = strlen(name);
	return length > front + back && strncmp(name, pattern, front) == 0 &&
	       str_equal(name + length - back, star + 1);
}

const struct gitkey *gitkey_find(const char *name)
{
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (is_called(name, keys[i].name))
			return &keys[i];
	return NULL;
}

bool gitkey_is_noted(const char *name)
{
	return str_match_any(name, noted);
}

bool gitkey_is_daily(const char *name)
{
	return str_match_any(name, daily) || str_match_any(name, noted);
}
