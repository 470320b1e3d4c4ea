// Owns the table of git's keys that a box may change. Git has more than sixty by which a repository
// makes the host run a program, and a dozen that move data to another place: a key that is not
// listed is withheld.
#include "git/gitconfig.h"

#include <stddef.h>
#include <string.h>

#include "base/base.h"

const char *const gitkey_whys[GITKEY_WHYS] = {
	[GITKEY_FORM] = "git itself would not write such a value",
	[GITKEY_RUN] = "git could run it or open what it names, or it is unknown",
	[GITKEY_PUSH] = "git would send your pushes elsewhere",
	[GITKEY_PULL] = "git would pull something else",
	[GITKEY_CONNECT] = "each git command would connect by itself",
	[GITKEY_READ] = "git would read this repository in another way",
	[GITKEY_NEAR] = "not an address by https, ssh or git",
	[GITKEY_AUTHOR] = "your commits would carry another name",
	[GITKEY_DO] = "your git would do something else with files or history",
};

#define GITKEY_ORDERS                                                                              \
	"refname -refname version:refname -version:refname "                                       \
	"committerdate -committerdate creatordate -creatordate"

static const struct gitkey keys[] = {
	{ "core.filemode", GITKEY_PROBED, 0, 0 },
	{ "core.ignorecase", GITKEY_PROBED, 0, 0 },
	{ "core.symlinks", GITKEY_PROBED, 0, 0 },
	{ "core.precomposeunicode", GITKEY_PROBED, 0, 0 },
	{ "core.logallrefupdates", GITKEY_WORDS, 0, "true false always" },
	{ "core.safecrlf", GITKEY_WORDS, 0, "true false warn" },
	{ "core.quotepath", GITKEY_BOOLEAN, 0, 0 },
	{ "core.longpaths", GITKEY_BOOLEAN, 0, 0 },
	{ "core.preloadindex", GITKEY_BOOLEAN, 0, 0 },
	{ "core.multipackindex", GITKEY_BOOLEAN, 0, 0 },
	{ "core.commitgraph", GITKEY_BOOLEAN, 0, 0 },
	{ "core.untrackedcache", GITKEY_WORDS, 0, "true false keep" },
	{ "core.worktree", GITKEY_WORKTREE, GITKEY_READ, 0 },
	{ "core.sparsecheckout", GITKEY_BOOLEAN, 0, 0 },
	{ "core.sparsecheckoutcone", GITKEY_BOOLEAN, 0, 0 },
	{ "index.sparse", GITKEY_BOOLEAN, 0, 0 },
	{ "index.threads", GITKEY_WORDS, 0, "true false 0 1 2 3 4 8 16" },
	{ "index.version", GITKEY_NUMBER, 0, 0 },
	{ "feature.manyfiles", GITKEY_BOOLEAN, 0, 0 },
	{ "feature.experimental", GITKEY_BOOLEAN, 0, 0 },
	{ "extensions.worktreeconfig", GITKEY_BOOLEAN, GITKEY_READ, 0 },
	{ "core.fscache", GITKEY_BOOLEAN, 0, 0 },
	{ "advice.*", GITKEY_BOOLEAN, 0, 0 },
	{ "color.ui", GITKEY_WORDS, 0, "true false auto always never" },
	{ "branch.*.description", GITKEY_TEXT, 0, 0 },
	{ "branch.*.gh-merge-base", GITKEY_NAME, 0, 0 },
	{ "branch.*.vscode-merge-base", GITKEY_NAME, 0, 0 },
	{ "branch.*.github-pr-owner-number", GITKEY_TEXT, 0, 0 },
	{ "branch.*.github-pr-base-branch", GITKEY_TEXT, 0, 0 },
	{ "commitgraph.generationversion", GITKEY_NUMBER, 0, 0 },
	{ "credential.https://dev.azure.com.usehttppath", GITKEY_BOOLEAN, 0, 0 },
	{ "commit.verbose", GITKEY_BOOLEAN, 0, 0 },
	{ "diff.algorithm", GITKEY_WORDS, 0, "default myers minimal patience histogram" },
	{ "diff.colormoved", GITKEY_WORDS, 0,
	  "true false no default plain blocks zebra dimmed-zebra" },
	{ "diff.mnemonicprefix", GITKEY_BOOLEAN, 0, 0 },
	{ "diff.noprefix", GITKEY_BOOLEAN, 0, 0 },
	{ "diff.renames", GITKEY_WORDS, 0, "true false copies" },
	{ "fetch.parallel", GITKEY_NUMBER, 0, 0 },
	{ "fetch.unpacklimit", GITKEY_NUMBER, 0, 0 },
	{ "fetch.writecommitgraph", GITKEY_BOOLEAN, 0, 0 },
	{ "fetch.showforcedupdates", GITKEY_BOOLEAN, 0, 0 },
	{ "gui.gcwarning", GITKEY_BOOLEAN, 0, 0 },
	{ "init.defaultbranch", GITKEY_NAME, 0, 0 },
	{ "log.date", GITKEY_WORDS, 0,
	  "default relative local iso iso-strict rfc short human unix raw" },
	{ "log.decorate", GITKEY_WORDS, 0, "true false no auto short full" },
	{ "log.excludedecoration", GITKEY_TEXT, 0, 0 },
	{ "maintenance.auto", GITKEY_BOOLEAN, 0, 0 },
	{ "maintenance.strategy", GITKEY_WORDS, 0, "none incremental gradual geometric" },
	{ "merge.conflictstyle", GITKEY_WORDS, 0, "merge diff3 zdiff3" },
	{ "merge.stat", GITKEY_BOOLEAN, 0, 0 },
	{ "pack.usebitmaps", GITKEY_BOOLEAN, 0, 0 },
	{ "pack.usesparse", GITKEY_BOOLEAN, 0, 0 },
	{ "receive.autogc", GITKEY_BOOLEAN, 0, 0 },
	{ "reset.quiet", GITKEY_BOOLEAN, 0, 0 },
	{ "branch.sort", GITKEY_WORDS, 0, GITKEY_ORDERS },
	{ "tag.sort", GITKEY_WORDS, 0, GITKEY_ORDERS },
	{ "status.aheadbehind", GITKEY_BOOLEAN, 0, 0 },
	{ "status.branch", GITKEY_BOOLEAN, 0, 0 },
	{ "status.short", GITKEY_BOOLEAN, 0, 0 },
	{ "status.showstash", GITKEY_BOOLEAN, 0, 0 },
	{ "lfs.repositoryformatversion", GITKEY_NUMBER, 0, 0 },
	{ "lfs.*.access", GITKEY_WORDS, 0, "basic negotiate none" },
	{ "lfs.*.locksverify", GITKEY_BOOLEAN, 0, 0 },
	{ "lfs.locksverify", GITKEY_BOOLEAN, 0, 0 },
	{ "lfs.fetchinclude", GITKEY_TEXT, 0, 0 },
	{ "lfs.fetchexclude", GITKEY_TEXT, 0, 0 },
	{ "lfs.concurrenttransfers", GITKEY_NUMBER, 0, 0 },
	{ "lfs.activitytimeout", GITKEY_NUMBER, 0, 0 },
	{ "gitflow.branch.*", GITKEY_NAME, 0, 0 },
	{ "gitflow.prefix.*", GITKEY_NAME, 0, 0 },
	{ "gitflow.initialized", GITKEY_BOOLEAN, 0, 0 },
	{ "gitflow.version", GITKEY_NAME, 0, 0 },
	{ "git-town.main-branch", GITKEY_NAME, 0, 0 },
	{ "git-town.perennial-branches", GITKEY_TEXT, 0, 0 },
	{ "git-town-branch.*.parent", GITKEY_NAME, 0, 0 },
	{ "git-town-branch.*.branchtype", GITKEY_NAME, 0, 0 },
	{ "gitreview.username", GITKEY_NAME, 0, 0 },
	// How git reads the repository.
	{ "core.bare", GITKEY_BARE, GITKEY_READ, 0 },
	{ "core.repositoryformatversion", GITKEY_MADE, GITKEY_READ, "0 1" },
	{ "extensions.objectformat", GITKEY_MADE, GITKEY_READ, "sha1 sha256" },
	{ "extensions.refstorage", GITKEY_MADE, GITKEY_READ, "files reftable" },
	{ "extensions.partialclone", GITKEY_PARTIAL, GITKEY_CONNECT, 0 },
	// What moves data.
	{ "submodule.*.url", GITKEY_ADDRESS, GITKEY_PULL, 0 },
	{ "submodule.*.active", GITKEY_BOOLEAN, GITKEY_PULL, 0 },
	{ "submodule.*.branch", GITKEY_NAME, GITKEY_PULL, 0 },
	{ "submodule.*.update", GITKEY_WORDS, GITKEY_PULL, "checkout rebase merge none" },
	{ "submodule.active", GITKEY_TEXT, GITKEY_PULL, 0 },
	{ "submodule.recurse", GITKEY_MADE, GITKEY_PUSH, "true false" },
	{ "push.default", GITKEY_MADE, GITKEY_PUSH, "nothing current upstream simple" },
	{ "push.autosetupremote", GITKEY_MADE, GITKEY_PUSH, "true false" },
	{ "remote.*.url", GITKEY_ADDRESS, GITKEY_PUSH, 0 },
	{ "remote.*.pushurl", GITKEY_ADDRESS, GITKEY_PUSH, 0 },
	{ "remote.*.fetch", GITKEY_FETCH, GITKEY_PULL, 0 },
	{ "remote.*.tagopt", GITKEY_WORDS, GITKEY_PULL, "--tags --no-tags" },
	{ "remote.*.prune", GITKEY_BOOLEAN, GITKEY_PULL, 0 },
	{ "remote.*.promisor", GITKEY_PARTIAL, GITKEY_CONNECT, 0 },
	{ "remote.*.partialclonefilter", GITKEY_PARTIAL, GITKEY_CONNECT, 0 },
	{ "remote.*.github-pr-remote", GITKEY_BOOLEAN, GITKEY_PUSH, 0 },
	{ "branch.*.remote", GITKEY_TRACKED, GITKEY_PUSH, 0 },
	{ "branch.*.pushremote", GITKEY_TRACKED, GITKEY_PUSH, 0 },
	{ "branch.*.merge", GITKEY_MERGED, GITKEY_PULL, 0 },
	{ "branch.*.rebase", GITKEY_WORDS, GITKEY_PULL, "true false merges interactive" },
	{ "remote.pushdefault", GITKEY_NONE, GITKEY_PUSH, 0 },
	{ "remote.*.push", GITKEY_NONE, GITKEY_PUSH, 0 },
	{ "remote.*.mirror", GITKEY_NONE, GITKEY_PUSH, 0 },
	{ "remote.*.gh-resolved", GITKEY_NONE, GITKEY_PUSH, 0 },
	// What the user's git does by itself.
	{ "user.*", GITKEY_NONE, GITKEY_AUTHOR, 0 },
	{ "core.autocrlf", GITKEY_NONE, GITKEY_DO, 0 },
	{ "core.eol", GITKEY_NONE, GITKEY_DO, 0 },
	{ "am.keepcr", GITKEY_NONE, GITKEY_DO, 0 },
	{ "branch.autosetup*", GITKEY_NONE, GITKEY_DO, 0 },
	{ "fetch.prune", GITKEY_NONE, GITKEY_DO, 0 },
	{ "gc.auto", GITKEY_NONE, GITKEY_DO, 0 },
	{ "merge.ff", GITKEY_NONE, GITKEY_DO, 0 },
	{ "merge.renames", GITKEY_NONE, GITKEY_DO, 0 },
	{ "pull.*", GITKEY_NONE, GITKEY_DO, 0 },
	{ "rebase.*", GITKEY_NONE, GITKEY_DO, 0 },
	{ "rerere.*", GITKEY_NONE, GITKEY_DO, 0 },
};

// One '*' only.
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
