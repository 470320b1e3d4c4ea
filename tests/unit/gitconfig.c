// git's configuration syntax and the merge by the table of keys.
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/base.h"
#include "git/gitconfig.h"
#include "git/git.h"
#include "text/words.h"

static struct gitconfig parsed(struct arena *arena, const char *text)
{
	struct gitconfig config;
	assert_int_equal(gitconfig_parse(arena, text, strlen(text), &config), 0);
	return config;
}

static void values(void **state)
{
	static const struct {
		const char *text, *name, *value;
	} rows[] = {
		{ "[a]\nb = c\n", "a.b", "c" },
		{ "[A]\nB=c d  \n", "a.b", "c d" },
		{ "[a]b=c", "a.b", "c" },
		{ "[a \"X y\"]\n\tb = c ; no\n", "a.X y.b", "c" },
		{ "[a \"x\\\"y\"]\nb=\"# \" # no\n", "a.x\"y.b", "# " },
		{ "[a.Sub]\nb\n", "a.sub.b", "" },
		{ "[a]\nb = one\\\n two\n", "a.b", "one two" },
		{ "[a]\nb = \"x\\ty\"\nb = last", "a.b", "last" },
		{ "\xef\xbb\xbf[a]\r\nb = c\r\n", "a.b", "c" },
		{ "# c\n; d\n[a]\n\n # e\nb = c", "a.b", "c" },
		{ "[a]\nb = c\n[d]\nb = e", "a.b", "c" },
		{ "[a]\nb = \"  x\"  \n", "a.b", "  x" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gitconfig config = parsed(arena, rows[i].text);
		const char *value = gitconfig_value(&config, rows[i].name);
		assert_non_null(value);
		assert_string_equal(value, rows[i].value);
	}
	arena_free(arena);
}

static void refused(void **state)
{
	static const char *const texts[] = { "a = b",          "[a\nb=c",         "[a \"x]\nb=c",
					     "[a]\nb c\n",     "[a]\nb = \"c\nd", "[a]\n1b = c",
					     "[a]\nb = \\q\n", "[]\nb=c",         "[a \"b\"x]\nc=d",
					     "[a]\nb = c\\\n" };
	(void)state;
	struct arena *arena = arena_new();
	struct gitconfig config;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		assert_int_equal(gitconfig_parse(arena, texts[i], strlen(texts[i]), &config), -1);
		err_taken();
	}
	assert_int_equal(gitconfig_parse(arena, "[a]\0b=c\n", 8, &config), -1);
	err_taken();
	arena_free(arena);
}

// As large as can be, and no more memory than a plan has: each value and each name once.
static void large(void **state)
{
	enum { SIZE = GITCONFIG_BYTES_MAX, SECTION = 100000, KEYS = 8000 };
	(void)state;
	struct arena *arena = arena_new();
	struct gitconfig config;
	char *text = arena_take(arena, SIZE);
	size_t length = 4;
	memcpy(text, "[a]\n", length);
	for (; length + 16 < SIZE && length / 16 < KEYS; length += 16)
		memcpy(text + length, "key = a value  \n", 16);
	assert_int_equal(gitconfig_parse(arena, text, length, &config), 0);
	assert_string_equal(gitconfig_value(&config, "a.key"), "a value");
	memset(text, 'a', SECTION);
	text[0] = '[';
	memcpy(text + SECTION, "]\n", 2);
	for (length = SECTION + 2; length + 2 < SIZE; length += 2)
		memcpy(text + length, "k\n", 2);
	assert_int_equal(gitconfig_parse(arena, text, length, &config), -1);
	err_taken();
	arena_free(arena);
}

#define FORK  "[remote \"fork\"]\n\turl = git@f.org:me/r\n"
#define HEADS "+refs/heads/*:refs/remotes/o/*"
#define BASE  "[core]\n\tbare = false ; a comment\n\teditor = vi\n"

static void merges(void **state)
{
	static const struct {
		const char *before, *after, *now, *wanted, *withheld;
	} rows[] = {
		{ BASE, BASE "[log]\n\tdate = iso\n", BASE, BASE, "log.date" },
		{ BASE, BASE "[user]\n\tname = A B\n", BASE, BASE, "user.name" },
		{ BASE, BASE "[alias]\n\tx = !sh\n", BASE, BASE, "alias.x" },
		{ BASE, "[core]\n\tbare = false\n\teditor = evil\n", BASE, BASE, "core.editor" },
		{ BASE, "[core]\n\tbare = false\n", BASE, BASE, "core.editor" },
		{ BASE, "[core]\n\tbare = true\n\teditor = vi\n", BASE, BASE, "core.bare" },
		{ BASE, "[core]\n\tquotePath = no\n\tbare = false\n\teditor = vi\n", BASE, BASE,
		  "core.quotepath" },
		// what stood is neither rewritten nor removed
		{ BASE "[log]\n\tdate = iso ; c\n", BASE "[log]\ndate = raw\n",
		  BASE "[log]\n\tdate = iso ; c\n", BASE "[log]\n\tdate = iso ; c\n", "log.date" },
		{ BASE "[log]\n\tdate = iso\n", BASE, BASE "[log]\n\tdate = iso\n",
		  BASE "[log]\n\tdate = iso\n", "log.date" },
		{ BASE "[branch \"x\"]\n\tremote = o\n", BASE,
		  BASE "[branch \"x\"]\n\tremote = o\n", BASE "[branch \"x\"]\n\tremote = o\n",
		  "branch.x.remote" },
		{ "", "[remote \"o\"]\n\turl = https://a/b\n\tfetch = " HEADS "\n", "[x]\n\ty = z",
		  "[x]\n\ty = z\n[remote \"o\"]\n\turl = https://a/b\n\tfetch = " HEADS "\n", "" },
		{ "", "[remote \"o\"]\n\turl = ext::sh -c x\n", "", "", "remote.o.url" },
		{ "", "[remote \"o\"]\n\turl = -evil\n", "", "", "remote.o.url" },
		{ "", "[remote \"o\"]\n\turl = foo://x\n", "", "", "remote.o.url" },
		{ "", "[remote \"o\"]\n\turl = ssh://-oProxyCommand=x/y\n", "", "",
		  "remote.o.url" },
		{ "", "[remote \"o\"]\n\turl = git@h:p\n", "", "[remote \"o\"]\n\turl = git@h:p\n",
		  "" },
		{ "", "[submodule \"s\"]\n\tupdate = !sh\n", "", "", "submodule.s.update" },
		{ "", "[submodule \"s\"]\n\tactive = true\n\turl = https://h/s\n", "",
		  "[submodule \"s\"]\n\tactive = true\n\turl = https://h/s\n", "" },
		{ "[submodule \"s\"]\nactive = false\n",
		  "[submodule \"s\"]\nactive = false\nurl = https://h/s\n",
		  "[submodule \"s\"]\nactive = false\n", "[submodule \"s\"]\nactive = false\n",
		  "submodule.s.url" },
		// noted by programs: neither kept nor said
		{ "",
		  "[advice]\ndetachedhead = 0\n[gui]\ngcwarning = 0\n[lfs]\n"
		  "repositoryformatversion = 0\n[branch \"x\"]\nvscode-merge-base = origin/main\n"
		  "[lfs \"https://h\"]\naccess = basic\n",
		  "", "", "" },
		{ "", "[lfs]\nurl = https://h\n[lfs \"customtransfer.x\"]\npath = ./x\n", "", "",
		  "lfs.url lfs.customtransfer.x.path" },
		{ "", "[color]\n\tui = always\n[diff \"x\"]\n\tcommand = y\n", "", "",
		  "color.ui diff.x.command" },
		{ "", "[core]\n\tfsmonitor = ./x\n\thooksPath = y\n\tsshCommand = z\n", "", "",
		  "core.fsmonitor core.hookspath core.sshcommand" },
		{ "", "[include]\n\tpath = x\n[filter \"f\"]\n\tclean = x\n", "", "",
		  "include.path filter.f.clean" },
		{ "", "[branch \"x\"]\n\tdescription = \"a\\nb\"\n", "", "",
		  "branch.x.description" },
		{ "", "[branch \"x\"]\n\tdescription = \" a;\\\"\"\n", "",
		  "[branch \"x\"]\n\tdescription = \" a;\\\"\"\n", "" },
		{ "[core]\n\tfilemode = true\n", "[core]\n\tfilemode = false\n",
		  "[core]\n\tfilemode = true\n", "[core]\n\tfilemode = true\n", "" },
		{ "", "[core]\n\tworktree = ../../../lib/x\n", "",
		  "[core]\n\tworktree = ../../../lib/x\n", "" },
		{ "", "[core]\n\tworktree = ../../../../lib\n", "", "", "core.worktree" },
		{ "", "[core]\n\tworktree = ../../../x/../../y\n", "", "", "core.worktree" },
		{ "", "[core]\n\tworktree = /home\n", "", "", "core.worktree" },
		// what the host wrote meanwhile stays
		{ "", FORK, "[core]\n\tfsmonitor = mine\n", "[core]\n\tfsmonitor = mine\n" FORK,
		  "" },
		{ "", "[remote \"o\"]\n\turl = https://a/b\n", "[remote \"o\"]\n\tfetch = x\n",
		  "[remote \"o\"]\n\tfetch = x\n", "remote.o.url" },
		{ "", "[branch \"x\"]\n\tremote = .\n\tmerge = refs/heads/y\n",
		  "[branch \"x\"]\n\tpushRemote = z\n", "[branch \"x\"]\n\tpushRemote = z\n",
		  "branch.x.remote branch.x.merge" },
		// never, as the host's commits, merges and files would be others
		{ "",
		  "[user]\nemail = x\n[rerere]\nenabled = 1\n[gc]\nauto = 0\n[core]\n"
		  "autocrlf = true\n[rebase]\nautostash = 1\nupdateRefs = 1\n[pull]\nff = only\n",
		  "", "",
		  "user.email rerere.enabled gc.auto core.autocrlf rebase.autostash "
		  "rebase.updaterefs pull.ff" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gitconfig before = parsed(arena, rows[i].before),
				 after = parsed(arena, rows[i].after),
				 now = parsed(arena, rows[i].now);
		struct gitconfig_merged merged;
		const char *withheld = "";
		gitconfig_merge(arena, &before, &after, &now, (struct gitconfig_case){ .depth = 3 },
				&merged);
		assert_string_equal(merged.text, rows[i].wanted);
		for (unsigned j = 0; j < merged.withheld_count; j++)
			withheld = arena_text(arena, "%s%s%s", withheld, j ? " " : "",
					      merged.withheld[j].name);
		assert_string_equal(withheld, rows[i].withheld);
	}
	arena_free(arena);
}

// Where git pushes, pulls and connects: what a box adds ('+'), or sets anew after it was all taken
// away ('-'), and what of it does not reach the file.
#define ORIGIN                                                                                     \
	"[remote \"origin\"]\n\turl = https://h.org/u/r.git\n\tfetch = "                           \
	"+refs/heads/*:refs/remotes/origin/*\n"
#define MAIN "[branch \"main\"]\n\tremote = origin\n\tmerge = refs/heads/main\n"
#define HOST ORIGIN MAIN
#define FEW  "[remote \"a\"]\nurl = a:b\n[remote \"b\"]\nurl = b:b\n"
#define MANY                                                                                       \
	FEW "[remote \"c\"]\nurl = c:b\n[remote \"d\"]\nurl = d:b\n[remote \"e\"]\nurl = e:b\n"    \
	    "[remote \"f\"]\nurl = f:b\n[remote \"g\"]\nurl = g:b\n[remote \"h\"]\nurl = h:b\n"    \
	    "[remote \"i\"]\nurl = i:b\n"

struct move {
	const char *before, *box, *withheld, *addresses;
	bool made;
};

// What was withheld is as before, all else as the box has it.
static void check_move(struct arena *arena, const struct move *row)
{
	struct list there = { 0 }, old = { 0 };
	const char *said = "", *withheld = "", *box = row->box,
		   *text = arena_text(arena, "%s%s", box[0] == '+' ? row->before : "", box + 1);
	struct gitconfig before = parsed(arena, row->before), after = parsed(arena, text), result;
	const struct gitconfig *sides[] = { &before, &after };
	struct gitconfig_merged merged;
	list_add(&old, arena, "main", (struct origin){ 0 });
	list_add(&old, arena, "there", (struct origin){ 0 });
	list_add(&there, arena, "branch.mine", (struct origin){ 0 });
	list_add(&there, arena, "remote.mine", (struct origin){ 0 });
	list_add(&there, arena, "submodule.mine", (struct origin){ 0 });
	gitconfig_merge(
		arena, &before, &after, &before,
		(struct gitconfig_case){ .made = row->made, .elsewhere = there, .old = old },
		&merged);
	result = parsed(arena, merged.text);
	for (unsigned i = 0; i < merged.withheld_count; i++)
		withheld = arena_text(arena, "%s%s%s", withheld, i ? " " : "",
				      merged.withheld[i].name);
	for (unsigned i = 0; i < merged.address_count; i++)
		said = arena_text(arena, "%s%s%s", said, i ? ", " : "", merged.addresses[i]);
	if (strcmp(withheld, row->withheld) != 0 || strcmp(said, row->addresses) != 0)
		fail_msg("%s\n%s\nwithheld: %s\n%s", box, merged.text, withheld, said);
	for (size_t i = 0; i < 2; i++)
		for (unsigned j = 0; j < sides[i]->count; j++) {
			const char *name = sides[i]->entries[j].name;
			bool kept = false;
			for (unsigned k = 0; k < merged.withheld_count; k++)
				kept = kept || strcmp(merged.withheld[k].name, name) == 0;
			if (!gitconfig_same(&result, kept ? &before : &after, name))
				fail_msg("%s\n%s\n%s", box, name, merged.text);
		}
}

static void moves(void **state)
{
	static const struct move rows[] = {
		// a new remote, and the branches that come with it
		{ HOST, "+" FORK, "", "remote.fork.url is new: f.org", 0 },
		{ HOST, "+" FORK "[branch \"t\"]\n\tremote = fork\n\tmerge = refs/heads/t\n",
		  "branch.t.remote", "remote.fork.url is new: f.org", 0 },
		{ HOST, "+" FORK "[branch \"t\"]\n\tpushRemote = fork\n", "branch.t.pushremote",
		  "remote.fork.url is new: f.org", 0 },
		{ HOST FORK, "+[branch \"t\"]\n\tremote = fork\n\tmerge = refs/heads/t\n", "", "",
		  0 },
		{ "", "+" HOST FORK "[branch \"t\"]\n\tremote = fork\n\tmerge = refs/heads/t\n", "",
		  "", true },
		{ "", "+" FORK "[branch \"t\"]\n\tremote = fork\n\tmerge = refs/heads/t\n", "",
		  "remote.fork.url is new: f.org", 0 },
		{ HOST, "+" FORK "\tmirror = true\n\tpush = +z:main\n\tpushurl = ext::x\n",
		  "remote.fork.mirror remote.fork.push remote.fork.pushurl",
		  "remote.fork.url is new: f.org", 0 },
		{ HOST, "+[branch \"t\"]\n\tremote = fork\n", "branch.t.remote", "", 0 },
		{ HOST,
		  "+[remote \"fork\"]\n\turl = /srv/e\n\tprune = 1\n[branch \"t\"]\n\tremote = "
		  "fork\n",
		  "remote.fork.url remote.fork.prune branch.t.remote", "", 0 },
		{ HOST, "+[branch \"t\"]\n\tremote = origin\n\tmerge = refs/heads/t\n", "", "", 0 },
		{ "", "+" ORIGIN MAIN, "", "remote.origin.url is new: h.org", 0 },
		{ "", "+" FORK "[branch \"main\"]\n\tremote = fork\n", "",
		  "remote.fork.url is new: f.org", 0 },
		{ "", "+[remote \"o\"]\n\turl = /srv/r\n", "remote.o.url", "", 0 },
		{ "", "+[remote \"o\"]\n\turl = /srv/r\n", "", "", true },
		{ "", "+[remote \"o\"]\n\turl = .git/e\n", "remote.o.url", "", true },
		{ "", "+[remote \"o\"]\n\turl = http://h/r\n", "remote.o.url", "", 0 },
		{ "", "+[remote \".\"]\n\turl = https://h/r\n", "remote...url", "", 0 },
		{ "", "+[remote \"https://h/r\"]\n\turl = https://e/r\n", "remote.https://h/r.url",
		  "", 0 },
		{ "",
		  "+[remote \"o\"]\n\turl = https://h/r\n\tfetch = +refs/heads/*:refs/heads/*\n",
		  "remote.o.fetch", "remote.o.url is new: h", 0 },
		{ "", "+[remote \"o\"]\n\turl = https://a@b@h/r\n", "remote.o.url", "", 0 },
		{ "", "+" FEW, "", "remote.a.url is new: a, remote.b.url is new: b", 0 },
		{ "", "+" MANY,
		  "remote.a.url remote.b.url remote.c.url remote.d.url remote.e.url remote.f.url "
		  "remote.g.url remote.h.url remote.i.url",
		  "", 0 }, // more than a report shows
		// a known one stays as it is
		{ HOST, "-[remote \"origin\"]\n\turl = https://evil.org/r\n" MAIN,
		  "remote.origin.url remote.origin.fetch", "", 0 },
		{ HOST FORK, "-" HOST "[remote \"fork\"]\n\turl = git@evil.org:me/r\n",
		  "remote.fork.url", "", 0 },
		{ HOST, "-" ORIGIN "\turl = https://evil.org/r\n" MAIN, "remote.origin.url", "",
		  0 },
		{ HOST, "-" ORIGIN "\tpushurl = git@h.org:u/r.git\n" MAIN, "remote.origin.pushurl",
		  "", 0 },
		{ ORIGIN "\tpushurl = no-push\n" MAIN, "-" HOST, "remote.origin.pushurl", "", 0 },
		{ HOST, "-" ORIGIN "\tpush = +z:main\n" MAIN, "remote.origin.push", "", 0 },
		{ HOST, "-" ORIGIN "\tpromisor = true\n" MAIN, "remote.origin.promisor", "", 0 },
		{ HOST FORK, "+[remote \"origin\"]\n\tgh-resolved = base\n",
		  "remote.origin.gh-resolved", "", 0 },
		// taken away, or by another name
		{ HOST, "-",
		  "remote.origin.url remote.origin.fetch branch.main.remote branch.main.merge", "",
		  0 },
		{ HOST FORK, "-" HOST, "remote.fork.url", "", 0 },
		{ HOST,
		  "-[remote \"far\"]\n\turl = https://h.org/u/r.git\n\tfetch = "
		  "+refs/heads/*:refs/remotes/far/*\n[branch \"main\"]\n\tremote = far\n"
		  "\tmerge = refs/heads/main\n",
		  "branch.main.remote remote.origin.url remote.origin.fetch",
		  "remote.far.url is new: h.org", 0 },
		// what was there does not lead to a new one
		{ FORK, "+" ORIGIN, "remote.origin.url remote.origin.fetch", "", 0 },
		{ MAIN, "+" ORIGIN, "remote.origin.url remote.origin.fetch", "", 0 },
		{ ORIGIN "[branch \"main\"]\n\tpushRemote = fork\n", "+" FORK, "remote.fork.url",
		  "", 0 },
		{ ORIGIN "[remote]\n\tpushDefault = fork\n", "+" FORK, "remote.fork.url", "", 0 },
		{ HOST "[remote \"fork\"]\n\tprune = true\n", "+" FORK, "remote.fork.url", "", 0 },
		// branches that were there
		{ HOST FORK, "+[branch \"main\"]\n\tpushRemote = fork\n", "branch.main.pushremote",
		  "", 0 },
		{ HOST, "+[branch \"main\"]\n\tpushRemote = origin\n", "branch.main.pushremote", "",
		  0 },
		{ HOST FORK, "+[branch \"main\"]\n\tremote = fork\n", "branch.main.remote", "", 0 },
		{ HOST, "+[branch \"main\"]\n\tmerge = refs/pull/6/head\n", "branch.main.merge", "",
		  0 },
		{ HOST, "+[branch \"main\"]\n\trebase = true\n", "branch.main.rebase", "", 0 },
		{ ORIGIN "[branch \"t\"]\n\tremote = origin\n\tmerge = refs/heads/main\n",
		  "-" ORIGIN "[branch \"t\"]\n\tremote = origin\n\tmerge = refs/heads/t\n",
		  "branch.t.merge", "", 0 },
		{ HOST FORK, "+[remote]\n\tpushDefault = fork\n", "remote.pushdefault", "", 0 },
		{ "", "+" FORK "[remote]\n\tpushDefault = fork\n", "remote.pushdefault",
		  "remote.fork.url is new: f.org", 0 },
		{ HOST "[remote]\n\tpushDefault = fork\n" FORK, "-" HOST FORK, "remote.pushdefault",
		  "", 0 },
		{ HOST, "+[branch \"there\"]\n\tremote = https://h.org/f/r\n",
		  "branch.there.remote", "", 0 },
		{ HOST FORK, "+[branch \"there\"]\n\tpushRemote = fork\n",
		  "branch.there.pushremote", "", 0 },
		{ HOST FORK, "+[branch \"there\"]\n\tremote = fork\n", "branch.there.remote", "",
		  0 },
		{ HOST, "+" FORK "[branch \"there\"]\n\tremote = fork\n", "branch.there.remote",
		  "remote.fork.url is new: f.org", 0 },
		{ HOST, "+[branch \"there\"]\n\tremote = origin\n\tmerge = refs/pull/6/head\n",
		  "branch.there.merge", "", 0 },
		{ HOST,
		  "+[branch \"there\"]\n\tremote = origin\n\tmerge = refs/heads/x\n"
		  "\tmerge = refs/heads/there\n",
		  "branch.there.merge branch.there.merge", "", 0 },
		// what git does without it as well
		{ HOST, "+[branch \"there\"]\n\tremote = origin\n\tmerge = refs/heads/there\n", "",
		  "", 0 },
		{ HOST, "-" ORIGIN, "branch.main.remote branch.main.merge", "", 0 },
		{ HOST FORK "[branch \"t\"]\n\tremote = fork\n\tmerge = refs/heads/x\n",
		  "-" HOST FORK, "branch.t.remote branch.t.merge", "", 0 },
		// another file of git's names it, or has settings of it
		{ HOST, "+[remote \"mine\"]\n\turl = https://e.org/x\n", "remote.mine.url", "", 0 },
		{ HOST, "+[branch \"mine\"]\n\tremote = origin\n", "branch.mine.remote", "", 0 },
		{ HOST, "+[submodule \"mine\"]\n\turl = https://e.org/x\n", "submodule.mine.url",
		  "", 0 },
		// gh pr checkout
		{ HOST,
		  "+[branch \"pr\"]\n\tremote = https://h.org/f/r.git\n\tpushRemote = "
		  "https://h.org/f/r.git\n\tmerge = refs/heads/x\n",
		  "branch.pr.remote branch.pr.pushremote", "", 0 },
		{ "",
		  "+" HOST "[branch \"pr\"]\n\tremote = https://h.org/f/r.git\n\tmerge = "
		  "refs/heads/x\n",
		  "", "", true },
		{ HOST,
		  "+[branch \"pr\"]\n\tremote = origin\n\tpushRemote = origin\n\tmerge = "
		  "refs/pull/6/head\n",
		  "", "branch.pr.merge is new: refs/pull/6/head", 0 },
		{ HOST, "+[branch \"pr\"]\n\tremote = /srv/e\n\tmerge = refs/heads/x\n",
		  "branch.pr.remote", "", 0 },
		// never
		{ HOST, "+[push]\n\tdefault = matching\n[submodule]\n\trecurse = true\n",
		  "push.default submodule.recurse", "", 0 },
		{ HOST,
		  "+[core]\n\trepositoryformatversion = 1\n[extensions]\n\tpartialClone = "
		  "origin\n\tobjectFormat = sha256\n",
		  "core.repositoryformatversion extensions.partialclone extensions.objectformat",
		  "", 0 },
		{ "",
		  "+[core]\n\trepositoryformatversion = 1\n[extensions]\n\tobjectformat = sha256\n",
		  "", "", true },
		{ "", "+" ORIGIN "\tpromisor = true\n\tpartialclonefilter = blob:none\n", "",
		  "remote.origin.url is new: h.org", true },
		{ "", "+[remote \"o\"]\n\turl = http://h/r\n\tpromisor = true\n",
		  "remote.o.promisor", "remote.o.url is new: h", true },
		{ HOST "[submodule \"s\"]\n\turl = https://h/s\n",
		  "-" HOST "[submodule \"s\"]\n\turl = https://e/s\n", "submodule.s.url", "", 0 },
		{ HOST, "+[submodule \"s\"]\n\tactive = true\n\turl = /srv/s\n", "",
		  "submodule.s.url is new: /srv/s", 0 },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		check_move(arena, &rows[i]);
	arena_free(arena);
}

// The settings of a branch went with it, but for those that lead elsewhere than git would go.
static void gone_branches(void **state)
{
#define OLD(remote) "[branch \"old\"]\n\tremote = " remote "\n\tmerge = refs/heads/x\n"
	static const struct {
		const char *before, *after, *now, *wanted;
	} rows[] = {
		{ HOST OLD("origin") "\trebase = true\n", HOST,
		  HOST OLD("origin") "\trebase = true\n", HOST },
		{ HOST OLD("origin") FORK, HOST FORK, HOST OLD("origin") FORK, HOST FORK },
		{ HOST FORK OLD("fork"), HOST FORK, HOST FORK OLD("fork"), HOST FORK OLD("fork") },
		{ HOST OLD("origin") "\tpushRemote = no\n", HOST,
		  HOST OLD("origin") "\tpushRemote = no\n",
		  HOST OLD("origin") "\tpushRemote = no\n" },
		{ HOST OLD("origin"), HOST "[branch \"old\"]\n\tremote = origin\n",
		  HOST OLD("origin"), HOST OLD("origin") },
		{ HOST OLD("origin"), HOST, HOST OLD("origin") "\t# mine\n",
		  HOST "[branch \"old\"]\n\t# mine\n" },
	};
	(void)state;
	struct arena *arena = arena_new();
	struct gitconfig_case how = { 0 };
	list_add(&how.gone, arena, "old", (struct origin){ 0 });
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gitconfig before = parsed(arena, rows[i].before),
				 after = parsed(arena, rows[i].after),
				 now = parsed(arena, rows[i].now);
		struct gitconfig_merged merged;
		gitconfig_merge(arena, &before, &after, &now, how, &merged);
		assert_string_equal(merged.text, rows[i].wanted);
		assert_int_equal(merged.withheld_count, 0);
	}
	arena_free(arena);
}

// A host that set something while a box lived, which could write there, too.
static void by_the_host(void **state)
{
	static const struct {
		const char *file, *wanted;
	} rows[] = {
		{ HOST "[user]\n\temail = a@b\n", HOST "[user]\n\temail = a@b\n" },
		{ HOST "[core]\n\tfsmonitor = x\n[pull]\n\trebase = true\n",
		  HOST "[pull]\n\trebase = true\n" },
		{ HOST "\trebase = true\n", HOST },
		{ ORIGIN, ORIGIN },
		{ HOST "[branch \"there\"]\n\tremote = origin\n\tmerge = refs/heads/there\n",
		  HOST "[branch \"there\"]\n\tremote = origin\n\tmerge = refs/heads/there\n" },
		{ HOST "[lfs]\n\turl = https://e\n", HOST },
	};
	(void)state;
	struct arena *arena = arena_new();
	struct gitconfig before = parsed(arena, HOST);
	struct gitconfig_case how = { .host = true };
	list_add(&how.old, arena, "there", (struct origin){ 0 });
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gitconfig after = parsed(arena, rows[i].file);
		struct gitconfig_merged merged;
		gitconfig_merge(arena, &before, &after, &before, how, &merged);
		assert_string_equal(merged.text, rows[i].wanted);
	}
	arena_free(arena);
}

// What other files of git's set or name.
static void other_files(void **state)
{
	static const char text[] = "[remote \"a\"]\nprune = 1\n[branch \"b\"]\npushRemote = c\n"
				   "[remote]\npushDefault = d\n[submodule \"e\"]\nactive = 1\n";
	static const char *const wanted[] = { "remote.a", "branch.b", "remote.c", "remote.d",
					      "submodule.e" };
	(void)state;
	struct arena *arena = arena_new();
	struct list known = { 0 };
	struct rows rows;
	assert_int_equal(gitnamed_read(APART_OTHERS, arena, text, strlen(text), true, &rows), 0);
	gitnamed_known(arena, &rows, &known);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		assert_true(list_has(&known, wanted[i]));
	arena_free(arena);
}

// The options with which `git config` gives a name the values that it has in the box.
static void commands(void **state)
{
	static const struct {
		const char *before, *after, *wanted;
	} rows[] = {
		{ "", "[a]\nb=1\n", "" },
		{ "[a]\nb=1\n", "[a]\nb=2\n", "" },
		{ "[a]\nb=1\n", "", "--unset-all " },
		{ "[a]\nb=1\nb=2\n", "", "--unset-all " },
		{ "[a]\nb=1\n", "[a]\nb=1\nb=2\n", "--add 2" },
		{ "", "[a]\nb=1\nb=2\n", "--add 1--add 2" },
		{ "[a]\nb=1\nb=2\n", "[a]\nb=3\n", "--replace-all 3" },
		{ "[a]\nb=1\nb=2\n", "[a]\nb=2\nb=3\n", "--replace-all 2--add 3" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gitconfig before = parsed(arena, rows[i].before),
				 after = parsed(arena, rows[i].after);
		struct gitconfig_merged merged;
		const char *said = "";
		gitconfig_merge(arena, &before, &after, &before, (struct gitconfig_case){ 0 },
				&merged);
		for (unsigned j = 0; j < merged.withheld_count; j++)
			said = arena_text(arena, "%s%s%s", said, merged.withheld[j].option,
					  merged.withheld[j].option[0] && merged.withheld[j].value
						  ? merged.withheld[j].value
						  : "");
		assert_string_equal(said, rows[i].wanted);
	}
	arena_free(arena);
}

// config.worktree is read after the other file: no address is there.
static void second_file(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct gitconfig none = parsed(arena, ""),
			 after = parsed(arena, "[core]\n\tsparseCheckout = true\n" FORK);
	struct gitconfig_merged merged;
	gitconfig_merge(arena, &none, &after, &none,
			(struct gitconfig_case){ .made = true, .private = true }, &merged);
	assert_string_equal(merged.text, "[core]\n\tsparsecheckout = true\n");
	assert_int_equal(merged.withheld_count, 1);
	assert_string_equal(merged.withheld[0].why, "git would send your pushes elsewhere");
	arena_free(arena);
}

// What is shown to a box; NULL: the file itself, "!": nothing, as nobody knows what it says.
static void secrets(void **state)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {
		{ "[user]\n\tname = A B\n\temail = a@b.c\n[alias]\n\tl = log # all\n", NULL },
		{ "[user]\nsigningkey = 0123456789abcdef0123456789abcdef01234567\n", NULL },
		{ "[url \"ssh://git@h/\"]\ninsteadOf = https://h/\n", NULL },
		{ "[credential]\nhelper = cache --timeout=9\nhelper = !gh auth git-credential\n",
		  NULL },
		{ "[core]\naskpass = /usr/bin/ask\n[trailer \"x\"]\nkey = X\n", NULL },
		{ "[http]\nproxy = http://p:3128\nsslVerify\n[remote \"o\"]\nurl = git@h:x\n",
		  NULL },
		{ "[sendemail]\nsmtppass =\n", NULL },
		{ "[url \"https://u:T@h/\"]\ninsteadOf = https://h/\n",
		  "[url \"https://h/\"]\n\tinsteadof = \"https://h/\"\n" },
		{ "[url \"https://T@h/\"]\npushInsteadOf = x\n",
		  "[url \"https://h/\"]\n\tpushinsteadof = \"x\"\n" },
		{ "[url \"ssh://u:T@h/\"]\ninsteadOf = x\n",
		  "[url \"ssh://h/\"]\n\tinsteadof = \"x\"\n" },
		{ "[remote \"o\"]\nurl = \"https://\"u:T@h/x\nfetch = x\n",
		  "[remote \"o\"]\n\turl = \"https://h/x\"\n\tfetch = \"x\"\n" },
		{ "[a]\nurl = https://u:\\\nT@h/x\n", "[a]\n\turl = \"https://h/x\"\n" },
		{ "[a]\nurl = https://u:p/T@h/x\nb = c\n", "[a]\n\tb = \"c\"\n" },
		{ "[a]\nb = x https://h y https://T@h z\n",
		  "[a]\n\tb = \"x https://h y https://h z\"\n" },
		{ "[http]\nproxy = u:T@p:3128\nx\n", "[http]\n\tproxy = \"p:3128\"\n\tx\n" },
		{ "[http]\nextraHeader = X: T\n", "[http]\n" },
		{ "[http \"https://h\"] EXTRAHEADER = T\n[a]b\n",
		  "[http \"https://h\"]\n[a]\n\tb\n" },
		{ "[github]\noauth-token = T\n", "[github]\n" },
		{ "[sendemail \"x\"]\nSMTPPass = T\n[imap]\npass = T\n",
		  "[sendemail \"x\"]\n[imap]\n" },
		{ "[lfs]\nx = --token=T\n", "[lfs]\n" },
		{ "[alias]\na = !curl -H 'Authorization: Basic T'\n", "[alias]\n" },
		{ "[credential]\nhelper = \"!f() { echo password=T; }; f\"\n", "[credential]\n" },
		{ "[x]\ny = ghp_0123456789abcdefABCDEF\n", "[x]\n" },
		{ "[x]\ny = Zk3Qw9Lx7Vb2Nm5Tr8Yp1Cd4\n", "[x]\n" },
		{ "[x \"ghp_0123456789abcdefABCDEF\"]\ny = z\n[a]\nb\n", "[a]\n\tb\n" },
		{ "[a]\n# token T\nb = \"c\\td\\\\\"\n", "[a]\n\tb = \"c\td\\\\\"\n" },
		{ "[a]\nb = c ; https://u:T@h\n", "[a]\n\tb = \"c\"\n" },
		{ "[a]\nb = \"", "!" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct gitsecret secret = { .text = "!" };
		if (gitsecret_filter(arena, rows[i].text, strlen(rows[i].text), &secret) < 0)
			err_taken();
		if ((secret.text == NULL) != (rows[i].wanted == NULL))
			fail_msg("%s", rows[i].text);
		if (secret.text && rows[i].wanted)
			assert_string_equal(secret.text, rows[i].wanted);
		list_each (item, &secret.left)
			assert_null(strstr(item->text, "T@"));
	}
	arena_free(arena);
}

static void named_files(void **state)
{
	static const char text[] = "[core]\nexcludesFile = ~/i\nhooksPath = /h\neditor = /e\n"
				   "[gpg \"ssh\"]\nallowedSignersFile = s\n"
				   "[http \"https://h/\"]\nsslCAInfo = /c\n";
	static const char *const wanted[] = { "~/i", "/h", "s", "/c" };
	(void)state;
	struct arena *arena = arena_new();
	struct gitsecret secret;
	unsigned count = 0;
	assert_int_equal(gitsecret_filter(arena, text, strlen(text), &secret), 0);
	list_each (item, &secret.named) {
		assert_true(count < 4);
		assert_string_equal(item->text, wanted[count++]);
		assert_int_equal(item->from.line, count == 4);
	}
	assert_int_equal(count, 4);
	arena_free(arena);
}

#define BEGIN     "-----BEGIN CERTIFICATE-----\n"
#define END       "-----END CERTIFICATE-----\n"
#define BEGIN_END "-----BEGIN CERTIFICATE----------END CERTIFICATE-----"
static void certificates(void **state)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {
		{ "# x\n" BEGIN "QQ==\n" END, BEGIN "QQ==\n" END },
		{ BEGIN "QQ==\n" END BEGIN "QR==\n" END "x",
		  BEGIN "QQ==\n" END BEGIN "QR==\n" END },
		{ "-----BEGIN PRIVATE KEY-----\nQQ==\n-----END PRIVATE KEY-----\n", "" },
		{ BEGIN "-----BEGIN PRIVATE KEY-----\nQQ==\n" END, "" },
		{ BEGIN "password: x\n" END, "" },
		{ BEGIN BEGIN "QQ==\n" END, BEGIN "QQ==\n" END },
		{ BEGIN "QQ==\n", "" },
		{ "", "" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		assert_string_equal(textsecret_certificates(arena, rows[i].text), rows[i].wanted);
	// Without a newline between them the result is longer than the text: it has room for that.
	const char *joined = "";
	for (int i = 0; i < 64; i++)
		joined = arena_text(arena, "%s%s", BEGIN_END, joined);
	const char *kept = textsecret_certificates(arena, joined), *next = arena_take(arena, 1);
	assert_int_equal(strlen(kept), 64 * 53);
	assert_true(kept + strlen(kept) < next);
	arena_free(arena);
}

static void lines(void **state)
{
	static const struct {
		const char *text, *wanted;
	} rows[] = {
		{ "registry=https://h/\n# a comment\n", NULL },
		{ "channels:\n  - conda-forge\n", NULL },
		{ "[build]\njobs = 4\n[registries.x]\nindex = \"sparse+https://h/\"\n", NULL },
		{ "//h/:_authToken=T\nemail=a@b.c\n", "\nemail=a@b.c\n" },
		{ "a=b\n_auth = T", "a=b\n" },
		{ "//h/:_password=T\r\na\r\n", "\na\r\n" },
		{ "registry=https://u:T@h/\n", "registry=https://h/\n" },
		{ "  - https://h/t/T/main\n", "  - https://h/main\n" },
		{ "url: https://u:p/T@h/\nb: c\n", "\nb: c\n" },
		{ "[registry]\ntoken = \"T\"\nx = 1\n", "[registry]\n\nx = 1\n" },
		{ "x = ghp_0123456789abcdefABCDEF\ny\n", "\ny\n" },
		// nobody knows where it ends
		{ "token = \"\"\"\nT\n\"\"\"\n", "" },
		{ "token:\n  T\n", "" },
		{ "password: |\n  T\n", "" },
		{ "token = 'T\nT'\n", "" },
		{ "token = T \\\nT\n", "" },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const char *shown =
			textsecret_lines(arena, rows[i].text, strlen(rows[i].text), TEXTSECRET_ALL);
		if (!shown || !rows[i].wanted)
			assert_ptr_equal(shown, rows[i].wanted);
		else
			assert_string_equal(shown, rows[i].wanted);
	}
	static const struct {
		const char *text, *wanted;
	} registries[] = {
		{ "registry=https://h/\n@c:registry=https://u:p@g/\n",
		  "registry=https://h/\n@c:registry=https://g/\n" },
		{ "email=me@h\nCANARY\npass\n", "\n\n\n" },
		{ "[[index]]\nname = \"c\"\nurl = \"https://h\"\ndefault = true\nretries = 12\n",
		  NULL },
		{ "a = https://h/ # secret\n; b\n", "a = https://h/ \n\n" },
		{ "channels:\n  - corp-main\n  - Abcdefgh12345\n", "channels:\n  - corp-main\n\n" },
		{ "r=https://h/?key=x\nr=https://h/Abcdefgh12345/x\n", "\n\n" },
		{ "login = 1234567890123\nident: me\nport = 8081\n", "\n\nport = 8081\n" },
	};
	for (size_t i = 0; i < sizeof(registries) / sizeof(*registries); i++) {
		const char *text = registries[i].text, *wanted = registries[i].wanted;
		const char *shown =
			textsecret_lines(arena, text, strlen(text), TEXTSECRET_REGISTRIES);
		if (!shown || !wanted)
			assert_ptr_equal(shown, wanted);
		else
			assert_string_equal(shown, wanted);
	}
	assert_string_equal(textsecret_lines(arena, "a\0b", 3, TEXTSECRET_ALL), "");
	arena_free(arena);
}

// Many names on one line took more memory than there is.
static void headers(void **state)
{
	(void)state;
	struct arena *arena = arena_new();
	struct gitconfig config;
	char *text = arena_take(arena, 3 * 8000 + 1);
	for (int i = 0; i < 8000; i++)
		memcpy(text + (size_t)3 * (size_t)i, "[a]", 3);
	assert_int_equal(gitconfig_parse(arena, text, strlen(text), &config), 0);
	assert_int_equal(config.section_count, 8000);
	assert_string_equal(config.sections[7999].name, "a");
	arena_free(arena);
}

static void secret_pairs(void **state)
{
	static const struct {
		const char *key, *value;
		bool secret;
	} pairs[] = {
		{ "http.https://h/.extraheader", "x", true },
		{ "HTTP.https://H/.ExtraHeader", "x", true },
		{ "github.token", "x", true },
		{ "remote.o.url", "https://u:p@h/", true },
		{ "url.https://u:p@h/.insteadof", "https://h/", true },
		{ "no-dot", "x", true },
		{ "user.name", "x", false },
		{ "User.SigningKey", "x", false },
		{ "url.https://h/.insteadOf", "gh:", false },
		{ "remote.o.url", "https://h/", false },
	};
	static const struct {
		const char *text;
		bool secret;
	} parameters[] = {
		{ "'user.name'='x' 'a.b'", false },
		{ "'user.name=x'", false },
		{ "'user.name'=", false },
		{ "", false },
		{ "'user.name'='it'\\''s'", false },
		{ "'user.name'='x' 'http.extraheader'='x'", true },
		{ "'http.extraheader=x'", true },
		{ "'http.extra'\\''header'='x", true },
		{ "user.name=x", true },
		{ "'user.name", true },
		{ "'user.name'x", true },
		{ "'user.name'='x'y", true },
		{ "'user.name'=x", true },
	};
	(void)state;
	struct arena *arena = arena_new();
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		if (gitsecret_is(arena, pairs[i].key, pairs[i].value) != pairs[i].secret)
			fail_msg("%s = %s", pairs[i].key, pairs[i].value);
	for (size_t i = 0; i < sizeof(parameters) / sizeof(*parameters); i++)
		if (gitsecret_parameters(arena, parameters[i].text) != parameters[i].secret)
			fail_msg("%s", parameters[i].text);
	arena_free(arena);
}

// What `git -c` gives to what it runs.
static void handed_on(void **state)
{
	static const struct {
		const char *text, *everywhere, *hooks, *file;
		bool unclear;
	} rows[] = {
		{ "'core.hookspath'='tools/hk'", "tools/hk", "", "", false },
		{ "'a.b'='c' 'core.hooksPath=/hk'", "", "/hk", "", false },
		{ "'core.hookspath'='it'\\''s'", "it's", "", "", false },
		{ "'a.b'= 'include.path'='/more'", "", "", "/more", false },
		{ "'a.b=core.hooksPath=/hk'", "", "", "", false },
		{ "'a.b'='c' core.hooksPath=/hk", "", "", "", true },
		{ "'a.b'='c'x 'core.hookspath'='/hk'", "", "", "", true },
		{ "", "", "", "", false },
	};
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct arena *arena = arena_new();
		struct gitnamed named = { 0 };
		setenv("GIT_CONFIG_PARAMETERS", rows[i].text, 1);
		assert_int_equal(gitnamed_global(arena, "/none", "/none", &named), 0);
		assert_true(!rows[i].everywhere[0] ||
			    list_has(&named.everywhere, rows[i].everywhere));
		assert_int_equal(list_has(&named.hooks, "/hk"), rows[i].hooks[0] != '\0');
		assert_int_equal(list_has(&named.files, "/more"), rows[i].file[0] != '\0');
		assert_int_equal(list_has(&named.unclear, "GIT_CONFIG_PARAMETERS"),
				 rows[i].unclear);
		arena_free(arena);
	}
	unsetenv("GIT_CONFIG_PARAMETERS");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(values),       cmocka_unit_test(large),
		cmocka_unit_test(refused),      cmocka_unit_test(merges),
		cmocka_unit_test(moves),        cmocka_unit_test(second_file),
		cmocka_unit_test(commands),     cmocka_unit_test(secrets),
		cmocka_unit_test(headers),      cmocka_unit_test(lines),
		cmocka_unit_test(named_files),  cmocka_unit_test(certificates),
		cmocka_unit_test(secret_pairs), cmocka_unit_test(gone_branches),
		cmocka_unit_test(by_the_host),  cmocka_unit_test(other_files),
		cmocka_unit_test(handed_on),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
