// Owns the words of findings.
#include "report/finding_kinds.h"

const char *const severity_words[SEVERITIES] = {
	[SEVERITY_NOTICE] = "notice",
	[SEVERITY_WARNING] = "warning",
	[SEVERITY_DANGER] = "danger",
	[SEVERITY_ERROR] = "error",
};

const struct finding_row finding_rows[FINDING_KINDS] = {
	[FINDING_BROKEN_REPOSITORY] = { .word = "repository-broken",
					.severity = SEVERITY_DANGER,
					.words = "%p is not a valid git directory any more: your "
						 "git would use another repository, perhaps one "
						 "that the box made; repair it before you run git "
						 "here" },
	[FINDING_NOT_MOVED] = { .word = "not-moved",
				.severity = SEVERITY_DANGER,
				.words = "%p %d: REMOVE IT YOURSELF" },
	[FINDING_CHECK_CUT] = { .word = "check-incomplete",
				.severity = SEVERITY_DANGER,
				.words = "the check of the command's changes did not finish; "
					 "review them with: %f",
				.fix = "git status" },
	[FINDING_LEFT_UNCHECKED] = { .word = "killed-run-unchecked",
				     .severity = SEVERITY_DANGER,
				     .words = "changes that a killed run left in this project "
					      "could not be checked; review them with: %f",
				     .fix = "git status" },
	[FINDING_UNREADABLE] = { .word = "unreadable",
				 .severity = SEVERITY_WARNING,
				 .words = "%p and its neighbours could not be checked (%d); check "
					  "them yourself" },
	[FINDING_UNREADABLE_FILE] = { .word = "unreadable-file",
				      .severity = SEVERITY_WARNING,
				      .words = "%p could not be checked (%d); check it yourself" },
	[FINDING_NOT_LISTED] = { .word = "not-listed",
				 .severity = SEVERITY_WARNING,
				 .words = "%p cannot be listed; check yourself which names are new "
					  "there" },
	[FINDING_PROTECTION_LOST] = { .word = "protection-lost",
				      .severity = SEVERITY_DANGER,
				      .words = "a protected file was replaced on the host and "
					       "could not be protected again; the run was ended" },
	[FINDING_PROTECTED_AGAIN] = { .word = "protected-again",
				      .severity = SEVERITY_NOTICE,
				      .words = "a protected file was replaced on the host while "
					       "the box ran; it is protected again" },
	[FINDING_REPLACED] = { .word = "replaced",
			       .severity = SEVERITY_WARNING,
			       .words = "%p was replaced on the host while the box ran; check that "
					"it has the content that you want" },
	[FINDING_OPENED] = { .word = "opened",
			     .severity = SEVERITY_NOTICE,
			     .words = "%p was unreadable, and the protected names in it could not "
				      "be checked: it was opened (chmod u+rwx)" },
	[FINDING_PROFILE_NOT_NOTED] = { .word = "profile-not-noted",
					.severity = SEVERITY_WARNING,
					.words = "the profile that was given could not be noted "
						 "(%d): later runs can change it where they can "
						 "write" },
	[FINDING_MOVED] = { .word = "moved",
			    .severity = SEVERITY_DANGER,
			    .words = "%p %d; it was moved to quarantine. To see it: sbx quarantine "
				     "show %i; if you made it: %f",
			    .fix = "sbx quarantine restore %i",
			    .more = "name",
			    .see = ", see: sbx quarantine list" },
	[FINDING_RENAMED] = { .word = "renamed",
			      .severity = SEVERITY_DANGER,
			      .words = "%p %d; it was renamed to %i in the same directory" },
	[FINDING_CONFIG_WITHHELD] = { .word = "git-config-withheld",
				      .severity = SEVERITY_WARNING,
				      .words = "%p: %d: not applied, because your own git would "
					       "run or trust it" },
	[FINDING_CONFIG_REMOVED] = { .word = "git-config-removed",
				     .severity = SEVERITY_WARNING,
				     .words = "%p: %d: removed, because your own git would run or "
					      "trust it" },
	[FINDING_CONFIG_CHANGED] = { .word = "git-config-changed",
				     .severity = SEVERITY_WARNING,
				     .words = "%p: %d: changed while the box ran, and your git "
					      "runs or trusts it; unset what you did not set" },
	[FINDING_CONFIG_ADDRESS] = { .word = "git-address-changed",
				     .severity = SEVERITY_WARNING,
				     .words = "%p: %d: changed by the box; check where your git "
					      "connects now" },
	[FINDING_CONFIG_FAILED] = { .word = "git-config-failed",
				    .severity = SEVERITY_WARNING,
				    .words = "%p: none of the box's changes were applied: %d" },
	[FINDING_TRACKED] = { .word = "tracked-read-only",
			      .severity = SEVERITY_NOTICE,
			      .words = "%p is read-only here, and git's index lists another "
				       "content; to let git write it: %f",
			      .fix = "--write %i" },
	[FINDING_SYMLINK] = { .word = "symlink",
			      .severity = SEVERITY_WARNING,
			      .words = "%p is a new symlink to '%d', which the box could not see; "
				       "check it before you use it",
			      .more = "symlink" },
	[FINDING_SEARCHED_PART] = { .word = "searched-part",
				    .severity = SEVERITY_NOTICE,
				    .words = "new repositories were searched for in a part of %p: "
					     "it is large, and the next run continues there" },
	[FINDING_TOO_DEEP] = { .word = "too-deep",
			       .severity = SEVERITY_WARNING,
			       .words = "%p has directories that are too deep to search for new "
					"repositories; do not run git there" },
	[FINDING_TOO_MANY] = { .word = "too-many-repositories",
			       .severity = SEVERITY_NOTICE,
			       .words = "%p has more repositories than can be listed: some will be "
					"reported as new again" },
	[FINDING_NOT_COMPARED] = { .word = "not-compared",
				   .severity = SEVERITY_WARNING,
				   .words = "%d: nothing was compared with it" },
	[FINDING_JOURNAL] = { .word = "no-journal",
			      .severity = SEVERITY_WARNING,
			      .words = "the state directory cannot be written (%d): changes of a "
				       "killed run are not checked; set XDG_STATE_HOME to a "
				       "directory of yours" },
	[FINDING_PORTS] = { .word = "ports",
			    .severity = SEVERITY_NOTICE,
			    .words = "%d: a name without a port opens only the usual ports; name "
				     "other ports, as in host:8443" },
	[FINDING_NO_CONTROL] = { .word = "no-control",
				 .severity = SEVERITY_NOTICE,
				 .words = "sbx allow and sbx deny could not reach this run: %d" },
	[FINDING_NO_ANSWER] = { .word = "no-answer",
				.severity = SEVERITY_NOTICE,
				.words = "the program of --ask-program %d: that means no" },
	[FINDING_ANSWER_LOST] = { .word = "answer-lost",
				  .severity = SEVERITY_NOTICE,
				  .words = "an answer for the project could not be stored: it "
					   "holds in this run alone" },
	[FINDING_WARNING] = { .word = "warning", .severity = SEVERITY_WARNING, .words = "%d" },
	[FINDING_HEADLESS] = { .word = "no-head",
			       .severity = SEVERITY_NOTICE,
			       .words = "%p: without HEAD it is not a repository, but the "
					"protected files in it could not be removed; %d" },
	[FINDING_REPOSITORY_CHANGED] = { .word = "repository-changed",
					 .severity = SEVERITY_NOTICE,
					 .words = "%p: a repository that this run changed" },
	[FINDING_REPOSITORY_MADE] = { .word = "repository-made",
				      .severity = SEVERITY_NOTICE,
				      .words = "%p: a repository that this run made" },
	[FINDING_WORKTREE_LOST] = { .word = "worktree-lost",
				    .severity = SEVERITY_NOTICE,
				    .words = "worktree %p was made in the box's own files and is "
					     "gone with them (git worktree prune forgets it); "
					     "below the project, or in a directory of --write, one "
					     "stays" },
	[FINDING_KILLED_RUN] = { .word = "killed-run",
				 .severity = SEVERITY_NOTICE,
				 .words = "a run in this project was killed; it left this" },
	[FINDING_OTHER_BOX] = { .word = "other-box",
				.severity = SEVERITY_NOTICE,
				.words = "another box of this project ran at the same time: it may "
					 "have made the changes that are reported here" },
	[FINDING_SECRET_USED] = { .word = "secret-used",
				  .severity = SEVERITY_NOTICE,
				  .words = "secret %p: used %d" },
	[FINDING_OPENER_ENDED] = { .word = "opener-ended",
				   .severity = SEVERITY_WARNING,
				   .words = "the opener, which holds the secrets, ended before the "
					    "command: hosts of secrets could not be reached from "
					    "then on" },
	[FINDING_CHANGED] = { .word = "changed",
			      .severity = SEVERITY_WARNING,
			      .words = "changed, and your own programs will run it: %l",
			      .agent = "",
			      .joined = 40 },
	[FINDING_UNTRACKED] = { .word = "hidden-untracked",
				.severity = SEVERITY_NOTICE,
				.words = "hidden: %l, which git's index does not list; to show it: "
					 "%f",
				.fix = "--read %i",
				.joined = 8 },
	[FINDING_ALTERED] = { .word = "hidden-altered",
			      .severity = SEVERITY_NOTICE,
			      .words = "hidden: %l, which git's index lists with another content; "
				       "to show it: %f",
			      .fix = "--read %i",
			      .joined = 8 },
	[FINDING_BACKGROUND] = { .word = "background",
				 .severity = SEVERITY_NOTICE,
				 .words = "",
				 .agent = "background programs ended with this command: run a "
					  "server and its client in one command, or run the server "
					  "in the foreground of a separate command" },
	[FINDING_PATH] = { .word = "path-not-visible",
			   .severity = SEVERITY_NOTICE,
			   .words = "these directories of your PATH are not in the box: %d; to "
				    "show one, [files] read = DIRECTORY, or %f",
			   .fix = "--read DIRECTORY" },
	[FINDING_OTHER_PROGRAM] = { .word = "other-program",
				    .severity = SEVERITY_WARNING,
				    .words = "%p: %d|; to show it: %f",
				    .fix = "%i" },
	[FINDING_NO_RIGHTS] = { .word = "no-rights",
				.severity = SEVERITY_NOTICE,
				.words = "%p cannot give rights in a box; to install packages: %f",
				.fix = "sbx session create --as-root NAME && sbx run -s NAME -- "
				       "COMMAND" },
	[FINDING_NO_DAEMON] = { .word = "no-daemon",
				.severity = SEVERITY_NOTICE,
				.words = "%p: the socket of its daemon is not in the box, as it "
					 "gives the rights of root on this machine; to show it: %f",
				.fix = "-p %i" },
	[FINDING_WITHHELD] = { .word = "withheld",
			       .severity = SEVERITY_NOTICE,
			       .words = "$%p was withheld, as it leads to a program outside; to "
					"give it: %f",
			       .fix = "-p %i" },
	[FINDING_PLAN_FAILED] = { .word = "plan-failed",
				  .severity = SEVERITY_ERROR,
				  .words = "%d" },
	[FINDING_STEP_FAILED] = { .word = "step-failed",
				  .severity = SEVERITY_ERROR,
				  .words = "step '%p': %d; the command was not run" },
	[FINDING_ADVICE] = { .word = "advice", .severity = SEVERITY_NOTICE, .words = "%d" },
	[FINDING_CANNOT_RUN] = { .word = "cannot-run",
				 .severity = SEVERITY_ERROR,
				 .words = "cannot run '%p': %d" },
	[FINDING_NOT_FOUND] = { .word = "not-found",
				.severity = SEVERITY_ERROR,
				.words = "cannot run '%p': %d" },
	[FINDING_SCRIPT] = { .word = "script",
			     .severity = SEVERITY_ERROR,
			     .words = "cannot run '%p': %d|; fix: %f",
			     .fix = "%i" },
	[FINDING_NO_USR] = { .word = "no-usr",
			     .severity = SEVERITY_ERROR,
			     .words = "cannot run '%p': the box has no /usr; write in the profile: "
				      "%f",
			     .fix = "extends = default" },
	[FINDING_PROGRAM_LACKS] = { .word = "program-lacks",
				    .severity = SEVERITY_ERROR,
				    .words = "cannot run '%p': it is in the box, but a file that "
					     "it needs is not|; to find it: %f",
				    .fix = "sbx learn -- %i" },
	[FINDING_PROGRAM_HIDDEN] = { .word = "program-hidden",
				     .severity = SEVERITY_ERROR,
				     .words = "cannot run '%p': it is hidden|; to see by which "
					      "line: %f",
				     .fix = "sbx why %i" },
	[FINDING_NOT_INSIDE] = { .word = "not-in-box",
				 .severity = SEVERITY_ERROR,
				 .words = "cannot run '%p': %d is not in the box|; to show it: %f",
				 .fix = "%i" },
	[FINDING_INIT_KILLED] = { .word = "init-killed",
				  .severity = SEVERITY_ERROR,
				  .words = "the box's init process was killed" },
	[FINDING_RUN_BROKEN] = { .word = "run-broken",
				 .severity = SEVERITY_ERROR,
				 .words = "%d; the run was ended" },
};
