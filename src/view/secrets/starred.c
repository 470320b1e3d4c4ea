// Owns the table of settings in directories of versions, and the bounded walk to them.
#include "view/secrets/hide.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "view/paths/wishes.h"

enum { ENTRIES_MAX = 2000, ENTRIES_BYTES = 4096 };

// What tools read for their settings in directories that profiles show: a registry's address, and
// sometimes the token for it. '*' is a version, or another name.
const char *const settings_with_secrets[] = {
	// npm config set --location=global: PREFIX/etc/npmrc of each manager of node
	"/etc/npmrc",
	"/usr/etc/npmrc",
	"/usr/local/etc/npmrc",
	"~/.nvm/versions/*/*/etc/npmrc",
	"~/.nvm/*/etc/npmrc",
	"~/.volta/tools/image/*/*/etc/npmrc",
	"~/.fnm/node-versions/*/installation/etc/npmrc",
	"~/.local/share/fnm/node-versions/*/installation/etc/npmrc",
	"~/.nodenv/versions/*/etc/npmrc",
	"~/.asdf/installs/nodejs/*/etc/npmrc",
	"~/.asdf/installs/nodejs/*/.npm/etc/npmrc",
	"~/.local/share/mise/installs/node/*/etc/npmrc",
	"~/.n/etc/npmrc",
	"~/.n/n/versions/node/*/etc/npmrc",
	"~/.npm-packages/etc/npmrc",
	"~/.proto/tools/node/*/etc/npmrc",
	"~/.local/opt/*/etc/npmrc",
	"~/.local/lib/*/etc/npmrc",
	"~/.pixi/envs/*/etc/npmrc",
	"~/.nix-profile/etc/npmrc",
	"~/.local/share/pnpm/global/*/.npmrc",
	"~/.config/yarn/global/.npmrc",
	"~/.bun/install/global/.npmrc",
	// conda, mamba: channels as https://host/t/TOKEN/name
	"~/miniconda3/.condarc",
	"~/miniconda3/condarc",
	"~/miniconda3/.mambarc",
	"~/miniconda3/condarc.d/*",
	"~/miniconda3/envs/*/.condarc",
	"~/miniconda3/envs/*/etc/npmrc",
	"~/miniconda3/etc/npmrc",
	"~/miniforge3/.condarc",
	"~/miniforge3/condarc",
	"~/miniforge3/.mambarc",
	"~/miniforge3/condarc.d/*",
	"~/miniforge3/envs/*/.condarc",
	"~/miniforge3/envs/*/etc/npmrc",
	"~/miniforge3/etc/npmrc",
	"~/mambaforge/.condarc",
	"~/mambaforge/condarc",
	"~/mambaforge/.mambarc",
	"~/mambaforge/condarc.d/*",
	"~/mambaforge/envs/*/.condarc",
	"~/mambaforge/envs/*/etc/npmrc",
	"~/mambaforge/etc/npmrc",
	"~/anaconda3/.condarc",
	"~/anaconda3/condarc",
	"~/anaconda3/.mambarc",
	"~/anaconda3/condarc.d/*",
	"~/anaconda3/envs/*/.condarc",
	"~/anaconda3/envs/*/etc/npmrc",
	"~/anaconda3/etc/npmrc",
	"~/micromamba/.condarc",
	"~/micromamba/.mambarc",
	"~/micromamba/envs/*/.condarc",
	"~/.local/share/mamba/.condarc",
	"~/.local/share/mamba/.mambarc",
	"~/.local/share/mamba/envs/*/.condarc",
	"~/.conda/envs/*/.condarc",
	"/etc/conda/.condarc",
	"/opt/conda/.condarc",
	// cargo
	"~/.cargo/config.toml",
	"~/.cargo/config",
	// pip of a version or of an environment, and the machine's
	"/etc/pip.conf",
	"~/.virtualenvs/*/pip.conf",
	"~/.local/share/virtualenvs/*/pip.conf",
	"~/.conda/envs/*/pip.conf",
	"~/miniconda3/pip.conf",
	"~/miniforge3/pip.conf",
	"~/anaconda3/pip.conf",
	"~/mambaforge/pip.conf",
	// ruby's, java's and others' of a version
	"~/.rbenv/versions/*/etc/gemrc",
	"~/.rvm/rubies/*/etc/gemrc",
	"~/.asdf/installs/ruby/*/etc/gemrc",
	"~/.sdkman/candidates/maven/*/conf/settings.xml",
	"~/.sdkman/candidates/gradle/*/gradle.properties",
	"~/.asdf/installs/maven/*/conf/settings.xml",
	"~/.local/share/mise/installs/maven/*/conf/settings.xml",
	"~/.opam/config",
	"~/.config/jj/config.toml",
	NULL,
};

// profiles/secrets.ini hides the most of these, or the directory that they are in.
const char *const settings_of_registries[] = {
	"~/.npmrc",
	"~/.npm-global/etc/npmrc",
	"~/.yarnrc",
	"~/.yarnrc.yml",
	"~/.bunfig.toml",
	"~/.config/.bunfig.toml",
	"~/.config/pnpm/rc",
	"~/.config/pnpm/config.yaml",
	"~/.config/pip/pip.conf",
	"~/.pip/pip.conf",
	"~/.config/uv/uv.toml",
	"~/.config/pypoetry/config.toml",
	"~/.config/pdm/config.toml",
	"~/.condarc",
	"~/.mambarc",
	"~/.conda/.condarc",
	"~/.conda/condarc",
	"~/.config/conda/.condarc",
	"~/.config/conda/condarc",
	"~/.gemrc",
	"~/.config/gem/gemrc",
	"~/.bundle/config",
	"~/.config/go/env",
	NULL,
};

struct starred_walk {
	struct wishes *wishes;
	int (*found)(struct wishes *wishes, const char *path);
	unsigned entries;
};

static int walk(struct starred_walk *walker, const char *directory, const char *rest);

// Below a name that was found nearly nothing is there: one look says so.
static int walk_entry(struct starred_walk *walker, const char *path, const char *rest)
{
	const char *whole = *rest ? path_join(walker->wishes->plan->scratch, path, rest) : path;
	if (strchr(rest, '*'))
		return walk(walker, path, rest);
	return access(whole, F_OK) == 0 ? walker->found(walker->wishes, whole) : 0;
}

static int walk_name(struct starred_walk *walker, const char *directory, const char *name,
		     const char *rest)
{
	struct arena *scratch = walker->wishes->plan->scratch;
	autoclose int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	entries_each (entry, fd) {
		if (!str_match(entry->name, name))
			continue;
		if (walker->entries++ >= ENTRIES_MAX)
			return 0;
		TRY(walk_entry(walker, path_below(scratch, directory, entry->name), rest));
	}
	return 0;
}

// `rest` has names without '*', then one with it, or only the first.
static int walk(struct starred_walk *walker, const char *directory, const char *rest)
{
	struct arena *scratch = walker->wishes->plan->scratch;
	const char *star = strchr(rest, '*'), *name = star;
	if (!star)
		return walker->found(walker->wishes, path_join(scratch, directory, rest));
	while (name > rest && name[-1] != '/')
		name--;
	size_t length = strcspn(name, "/");
	const char *above = name == rest
				    ? directory
				    : path_join(scratch, directory,
						arena_copy(scratch, rest, (size_t)(name - rest)));
	return walk_name(walker, above, arena_copy(scratch, name, length),
			 name + length + (name[length] == '/'));
}

int starred_walk(struct wishes *wishes, const char *pattern,
		 int (*found)(struct wishes *wishes, const char *path))
{
	struct starred_walk walker = { .wishes = wishes, .found = found };
	bool home = str_starts(pattern, "~/");
	int result = walk(&walker, home ? wishes->plan->real_home : "/", pattern + (home ? 2 : 1));
	if (walker.entries > ENTRIES_MAX)
		list_add(&wishes->plan->warnings, wishes->arena,
			 arena_text(wishes->arena,
				    "'%s' matches more than %d names: secrets in the others are "
				    "not hidden; name them with --hide",
				    pattern, ENTRIES_MAX),
			 (struct origin){ .file = "secrets" });
	return result;
}
