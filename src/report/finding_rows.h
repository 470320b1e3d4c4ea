// The table of findings, worst first. The includer defines ROW: kind, word in JSON, severity, words
// for people, named members. `agent`: words for a model ("": none). `fix`: flag or command. `more`:
// words after "and 3 more such" (else "line"), before `see`. `joined`: number of paths in a line.
// Words have %p path, %d detail, %i argument of the fix, %f fix, %l all paths. Without a fix the
// text ends at the '|'.
// clang-format off
ROW(FINDING_BROKEN_REPOSITORY, "repository-broken", SEVERITY_DANGER,
	"%p is not a valid git directory any more: your git would use another repository, perhaps "
	"one that the box made; repair it before you run git here")
ROW(FINDING_NOT_MOVED, "not-moved", SEVERITY_DANGER, "%p %d: REMOVE IT YOURSELF")
ROW(FINDING_CHECK_CUT, "check-incomplete", SEVERITY_DANGER,
	"the check of the command's changes did not finish; run no git in this project before it "
	"has: %f",
	.fix = "sbx run --check all true")
ROW(FINDING_LEFT_UNCHECKED, "killed-run-unchecked", SEVERITY_DANGER,
	"changes that an earlier run left in this project are not checked; run no git in it before "
	"they are: %f",
	.fix = "sbx run --check all true")
ROW(FINDING_UNREADABLE, "unreadable", SEVERITY_WARNING,
	"%p and its neighbours could not be checked (%d); check them yourself")
ROW(FINDING_UNREADABLE_FILE, "unreadable-file", SEVERITY_WARNING,
	"%p could not be checked (%d); check it yourself")
ROW(FINDING_PROTECTION_LOST, "protection-lost", SEVERITY_DANGER,
	"a protected file was replaced on the host and could not be protected again; the run was "
	"ended")
ROW(FINDING_RETURNS, "returns", SEVERITY_DANGER,
	"%p was taken away, and came back again and again: the run was ended")
ROW(FINDING_PROTECTED_AGAIN, "protected-again", SEVERITY_NOTICE,
	"a protected file was replaced on the host while the box ran; it is protected again")
ROW(FINDING_REPLACED, "replaced", SEVERITY_WARNING,
	"%p was replaced on the host while the box ran; check that it has the content that you "
	"want")
ROW(FINDING_OPENED, "opened", SEVERITY_NOTICE,
	"%p was unreadable, and the protected names in it could not be checked: it was opened "
	"(chmod u+rwx)")
ROW(FINDING_PROFILE_NOT_NOTED, "profile-not-noted", SEVERITY_WARNING,
	"the profile that was given could not be noted (%d): later runs can change it where they "
	"can write")
ROW(FINDING_INDEX_GONE, "git-index-removed", SEVERITY_WARNING,
	"%p was removed: git takes each file as deleted, and your next commit would do that; for a new "
	"one: %f",
	.fix = "git reset")
ROW(FINDING_CONFIG_ADDRESS, "git-address-changed", SEVERITY_WARNING, "%p: %d")
ROW(FINDING_CONFIG_FAILED, "git-config-failed", SEVERITY_WARNING,
	"%p: none of the box's changes were applied: %d")
ROW(FINDING_TRACKED, "tracked-read-only", SEVERITY_NOTICE,
	"%p is read-only here, and git's index lists another content; to let git write it: %f",
	.fix = "--write %i")
ROW(FINDING_TRACKED_ALL, "tracked-and-read-only", SEVERITY_NOTICE,
	"%p is read-only here, and git's index lists it; if git had to write it: %f",
	.fix = "--write %i")
ROW(FINDING_SYMLINK, "symlink", SEVERITY_WARNING,
	"%p is a new symlink to '%d', which the box could not see; check it before you use it",
	.more = "symlink")
ROW(FINDING_SEARCHED_PART, "searched-part", SEVERITY_NOTICE,
	"new repositories were searched for in a part of %p: %d; to search all: sbx run "
	"--check all true (in your home: sbx run --check all --project-dir ~ true)")
ROW(FINDING_TOO_DEEP, "too-deep", SEVERITY_WARNING,
	"%p has directories that are too deep to search for new repositories; do not run git there")
ROW(FINDING_TOO_MANY, "too-many-repositories", SEVERITY_NOTICE,
	"%p has more repositories than can be listed: some will be reported as new again")
ROW(FINDING_NOT_COMPARED, "not-compared", SEVERITY_WARNING, "%d: nothing was compared with it")
ROW(FINDING_JOURNAL, "no-journal", SEVERITY_WARNING,
	"the state directory cannot be written (%d): nothing is cached, and changes of a killed run are "
	"not checked; set XDG_STATE_HOME to a directory of yours")
ROW(FINDING_PORTS, "ports", SEVERITY_NOTICE,
	"%d: a name without a port opens only the usual ports; name other ports, as in host:8443")
ROW(FINDING_UNHEARD, "nobody-listened", SEVERITY_NOTICE,
	"nothing listened on port %p in the box: %d|; if that is the port outside: %f",
	.fix = "--publish %i")
ROW(FINDING_UNLISTED, "not-listed", SEVERITY_WARNING,
	"the run is not on the list of live runs, where these would find it: %d")
ROW(FINDING_NO_ANSWER, "no-answer", SEVERITY_NOTICE,
	"the program of --ask-program %d: that means no")
ROW(FINDING_ANSWER_LOST, "answer-lost", SEVERITY_NOTICE,
	"an answer for the project could not be stored: it holds in this run alone")
ROW(FINDING_WARNING, "warning", SEVERITY_WARNING, "%d")
ROW(FINDING_UNTRUSTED, "untrusted", SEVERITY_WARNING, "%d")
ROW(FINDING_ELSEWHERE, "repository-elsewhere", SEVERITY_WARNING, "%d")
ROW(FINDING_HEADLESS, "no-head", SEVERITY_NOTICE,
	"%p: without HEAD it is not a repository, but the protected files in it could not be "
	"removed; %d")
ROW(FINDING_REPOSITORY_CHANGED, "repository-changed", SEVERITY_NOTICE,
	"%p: a repository that this run changed")
ROW(FINDING_REPOSITORY_MADE, "repository-made", SEVERITY_NOTICE,
	"%p: a repository that was made during this run, by the box or by you")
ROW(FINDING_RIGHTS_LOST, "rights-lost", SEVERITY_WARNING,
	"the command took your rights to %p; to have them back: %f", .fix = "chmod u+rwx %i")
ROW(FINDING_WORKTREE_LOST, "worktree-lost", SEVERITY_NOTICE,
	"worktree %p was made in the box's own files and is gone with them (git worktree prune "
	"forgets it); below the project, or in a directory of --write, one stays")
ROW(FINDING_LEFT, "left-in-home", SEVERITY_NOTICE,
	"written to the private home, and gone with the box: %l; to keep what is written to a "
	"directory: %f",
	.agent = "written to the private home, and gone with the box: %l; files below the project "
		 "stay",
	.fix = "--write DIR", .joined = 4)
ROW(FINDING_INSTALLED, "installed-in-home", SEVERITY_NOTICE,
	"installed in the private home, and gone with the box: %p|; to keep it, install it again "
	"with: %f",
	.agent = "installed in the private home, and gone with the box: %p; your next command does "
		 "not have it",
	.fix = "--cache %i")
ROW(FINDING_KILLED_RUN, "killed-run", SEVERITY_NOTICE,
	"a run in this project was killed; it left this")
ROW(FINDING_OTHER_BOX, "other-box", SEVERITY_NOTICE,
	"another box of this project ran at the same time: it may have made the changes that are "
	"reported here")
ROW(FINDING_SECRET_USED, "secret-used", SEVERITY_NOTICE, "secret %p: used %d")
ROW(FINDING_SECRET_UNUSED, "secret-unused", SEVERITY_NOTICE,
	"secret %p: no request to its hosts carried it", .agent = "")
ROW(FINDING_OPENER_ENDED, "opener-ended", SEVERITY_WARNING,
	"the opener, which holds the secrets, ended before the command: hosts of secrets could "
	"not be reached from then on")
ROW(FINDING_CHANGED, "changed", SEVERITY_WARNING, "changed, and your own programs will run it: %l",
	.agent = "", .joined = 2048)
ROW(FINDING_CHANGED_BEFORE, "changed-before", SEVERITY_WARNING,
	"changed in earlier runs, and your own programs will run it: %l", .agent = "", .joined = 2048)
ROW(FINDING_GIT_LOCK, "git-lock", SEVERITY_NOTICE,
	"locks of git's that the box left were removed: %l", .joined = 8)
ROW(FINDING_GIT_LOCKED, "git-locked", SEVERITY_WARNING,
	"locks of git's came during the run, and a git is running: %l; remove them when it has ended "
	"and they stay", .joined = 8)
ROW(FINDING_GIT_NAME, "git-name", SEVERITY_WARNING,
	"new names in git have characters of a shell: %l; a script that uses them without quotes "
	"runs them; remove them", .joined = 8)
ROW(FINDING_GIT_HIDES, "git-hides", SEVERITY_WARNING,
	"%p: files that are marked in the index, whose changes git does not show: %d; to list them: %f",
	.fix = "git ls-files -v")
ROW(FINDING_GIT_INDEX, "git-index", SEVERITY_WARNING,
	"%p was written by the box and was not checked (%d): your git may write other files than it "
	"shows; for a new one: %f", .fix = "git reset")
ROW(FINDING_MOVED, "moved", SEVERITY_DANGER,
	"%p %d; it was moved to quarantine. To see it: sbx quarantine show %i; if you made it: %f",
	.fix = "sbx quarantine restore %i", .more = "name", .see = ", see: sbx quarantine list")
ROW(FINDING_TAKEN, "taken", SEVERITY_DANGER,
	"%p appeared in this run's time, and was moved to quarantine by another run of this project "
	"(%d). To see it: sbx quarantine show %i; if you made it: %f",
	.fix = "sbx quarantine restore %i", .more = "name", .see = ", see: sbx quarantine list")
ROW(FINDING_RENAMED, "renamed", SEVERITY_DANGER,
	"%p %d; it was renamed to %i in the same directory")
ROW(FINDING_CONFIG_WITHHELD, "git-config-withheld", SEVERITY_WARNING,
	"%p: %d|; to set it: %f", .fix = "%i")
ROW(FINDING_CONFIG_REMOVED, "git-config-removed", SEVERITY_WARNING,
	"%p: %d|; to set it: %f", .fix = "%i")
ROW(FINDING_UNASKED, "writes-not-named", SEVERITY_NOTICE,
	"refused writes are not named in this run: %d")
ROW(FINDING_UNTRACKED, "hidden-untracked", SEVERITY_NOTICE,
	"hidden: %l, which git's index does not list; to show it: %f", .fix = "--read %i",
	.joined = 8)
ROW(FINDING_ALTERED, "hidden-altered", SEVERITY_NOTICE,
	"hidden: %l, which git's index lists with another content; to show it: %f",
	.fix = "--read %i", .joined = 8)
ROW(FINDING_POLICY, "policy", SEVERITY_NOTICE, "",
	.agent = "what was blocked is the user's policy, not a fault: continue without it, or ask the "
	"user to run that command")
ROW(FINDING_BACKGROUND, "background", SEVERITY_NOTICE, "",
	.agent = "background programs ended with this command: run a server and its client in one "
	"command, or run the server in the foreground of a separate command")
ROW(FINDING_PATH, "path-not-visible", SEVERITY_NOTICE,
	"these directories of your PATH are not in the box: %d; to show one, [files] read = "
	"DIRECTORY, or %f", .fix = "--read DIRECTORY")
ROW(FINDING_LINK, "link-not-visible", SEVERITY_NOTICE,
	"the link %p leads to '%d', which is not in the box|; to show it: %f", .fix = "--read %i",
	.more = "link")
ROW(FINDING_OTHER_PROGRAM, "other-program", SEVERITY_WARNING, "%p: %d|; to show it: %f",
	.fix = "%i")
ROW(FINDING_NO_RIGHTS, "no-rights", SEVERITY_NOTICE,
	"%p cannot give rights in a box; to install packages: %f",
	.fix = "sbx session create --as-root NAME && sbx run -s NAME -- COMMAND")
ROW(FINDING_NO_DAEMON, "no-daemon", SEVERITY_NOTICE,
	"%p: the socket of its daemon is not in the box, as it gives the rights of root on this "
	"machine; to show it: %f", .fix = "-p %i")
ROW(FINDING_WITHHELD, "withheld", SEVERITY_NOTICE,
	"$%p was withheld, as it leads to a program outside; to give it: %f", .fix = "-p %i")
ROW(FINDING_NOT_PASSED, "not-passed", SEVERITY_NOTICE,
	"$%p was withheld: %d|; to pass it: %f", .fix = "--pass-env %i")
ROW(FINDING_NAMES_ABSENT, "names-absent", SEVERITY_NOTICE,
	"$%p names %d, which is not in the box|; to show it: %f", .fix = "--read %i")
ROW(FINDING_PLAN_FAILED, "plan-failed", SEVERITY_ERROR, "%d")
ROW(FINDING_STEP_FAILED, "step-failed", SEVERITY_ERROR, "step '%p': %d; the command was not run")
ROW(FINDING_ADVICE, "advice", SEVERITY_NOTICE, "%d")
ROW(FINDING_CANNOT_RUN, "cannot-run", SEVERITY_ERROR, "cannot run '%p': %d")
ROW(FINDING_NOT_FOUND, "not-found", SEVERITY_ERROR, "cannot run '%p': %d")
ROW(FINDING_SCRIPT, "script", SEVERITY_ERROR, "cannot run '%p': %d|; fix: %f", .fix = "%i")
ROW(FINDING_NO_USR, "no-usr", SEVERITY_ERROR,
	"cannot run '%p': the box has no /usr; write in the profile: %f",
	.fix = "extends = default")
ROW(FINDING_PROGRAM_LACKS, "program-lacks", SEVERITY_ERROR,
	"cannot run '%p': it is in the box, but a file that it needs is not|; to find it: %f",
	.fix = "sbx learn -- %i")
ROW(FINDING_PROGRAM_HIDDEN, "program-hidden", SEVERITY_ERROR,
	"cannot run '%p': it is hidden|; to see by which line: %f", .fix = "sbx why %i")
ROW(FINDING_NOT_INSIDE, "not-in-box", SEVERITY_ERROR,
	"cannot run '%p': %d is not in the box|; to show it: %f", .fix = "%i")
ROW(FINDING_KILLED, "killed", SEVERITY_ERROR,
	"the box was killed by sbx kill, or by sbx stop after its time")
ROW(FINDING_INIT_KILLED, "init-killed", SEVERITY_ERROR,
	"the box was killed from outside, but not by sbx: by another program, or by the kernel, as where memory is short")
ROW(FINDING_INIT_LOST, "init-lost", SEVERITY_ERROR, "the box's first process has failed")
ROW(FINDING_RUN_BROKEN, "run-broken", SEVERITY_ERROR, "%d; the run was ended")
// clang-format on
