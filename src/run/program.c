// Owns the findings about a program that the box does not have.
#include "run/steps.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "env/env.h"
#include "plan.h"
#include "report/findings.h"
#include "view/paths/wishes.h"

enum { NEEDS_MAX = 4, LINE_MAX_READ = 256, TEXTS_BYTES = 1 << 20 };

struct needs {
	const struct plan *plan;
	struct arena *arena;
	const char *paths[NEEDS_MAX];
	unsigned count;
	bool hidden;
};

// Resolves all but the last component. Returns NULL if the directory does not exist.
static const char *resolve_parent(struct needs *needs, const char *path)
{
	char real[PATH_MAX];
	const char *whole = path_join(needs->arena, needs->plan->current, path);
	if (!realpath(path_parent(needs->arena, whole), real))
		return NULL;
	return path_join(needs->arena, real, path_name(whole));
}

static bool has(struct arena *arena, const char *directory, const char *name)
{
	return access(path_below(arena, directory, name), F_OK) == 0;
}

static const char *directory_for(struct needs *needs, const char *file, const char *beside)
{
	static const char modules[] = "/node_modules";
	const char *at = strstr(file, "/node_modules/");
	if (at)
		return arena_copy(needs->arena, file, (size_t)(at - file) + strlen(modules));
	const char *directory = path_parent(needs->arena, file);
	const char *above = path_parent(needs->arena, directory);
	if (str_equal(path_name(directory), "bin") && has(needs->arena, above, beside) &&
	    !path_within(needs->plan->home, above) && !str_equal(path_name(above), ".local"))
		return above;
	return directory;
}

static void need(struct needs *needs, const char *file, const char *beside)
{
	if (!file || judge_shows(needs->plan, file))
		return;
	const char *directory = directory_for(needs, file, beside);
	needs->hidden = needs->hidden || judge_final(needs->plan, file, false) != NULL;
	for (unsigned i = 0; i < needs->count; i++)
		if (path_within(directory, needs->paths[i]))
			return;
	if (needs->count < NEEDS_MAX)
		needs->paths[needs->count++] = directory;
}

static void need_link_and_target(struct needs *needs, const char *path, const char *beside)
{
	char real[PATH_MAX];
	need(needs, resolve_parent(needs, path), beside);
	if (realpath(path, real))
		need(needs, arena_copy(needs->arena, real, strlen(real)), beside);
}

static bool find_program(const char *name, const char *list, const struct plan *seen, char *path)
{
	char directory[PATH_MAX];
	while (path_list_next(&list, directory))
		if (str_put(path, PATH_MAX, "%s/%s", directory, name) &&
		    (!seen || judge_shows(seen, path)) && access(path, X_OK) == 0)
			return true;
	return false;
}

static bool find_outside(const struct plan *plan, char *path)
{
	const char *name = plan->command[0];
	if (!*name)
		return false;
	if (!strchr(name, '/'))
		return find_program(name, env_value(plan, "PATH"), NULL, path) ||
		       find_program(name, getenv("PATH"), NULL, path);
	return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX && access(path, X_OK) == 0;
}

static const char *interpreter_of(struct arena *arena, const char *path)
{
	const char *text;
	size_t length;
	if (file_read(AT_FDCWD, path, FILE_LINK | FILE_PART, LINE_MAX_READ, arena, &text,
		      &length) <= 0 ||
	    !str_starts(text, "#!"))
		return NULL;
	text += 2 + strspn(text + 2, " \t");
	return arena_copy(arena, text, strcspn(text, " \t\n"));
}

static bool find_script(struct arena *arena, const char *name, const char *interpreter,
			struct findings *found)
{
	size_t length = strlen(interpreter);
	const char *file = quote_fix(arena, name);
	if (length > 0 && interpreter[length - 1] == '\r') {
		findings_add(found, FINDING_SCRIPT, name,
			     "its first line ends in a carriage return (Windows)",
			     file ? arena_text(arena, "sed -i 's/\\r$//' %s", file) : "");
		return true;
	}
	if (access(interpreter, F_OK) == 0)
		return false;
	findings_add(found, FINDING_NOT_FOUND, name,
		     arena_text(arena, "its interpreter '%s' does not exist; change its first line",
				interpreter),
		     "");
	return true;
}

// Options with paths expand variables, and cannot have a path with '$'.
static const char *path_word(struct needs *needs, const char *path)
{
	return strchr(path, '$') ? NULL : quote_fix(needs->arena, path);
}

static void find_needs(struct needs *needs, const char *name, const char *outside,
		       struct findings *found)
{
	const char *words = "", *word;
	for (unsigned i = 0; i < needs->count && words; i++) {
		word = path_word(needs, needs->paths[i]);
		words = word ? arena_text(needs->arena, "%s%s--read %s", words, i ? " " : "", word)
			     : NULL;
	}
	if (!judge_shows(needs->plan, "/usr")) {
		findings_add(found, FINDING_NO_USR, name, "", "");
	} else if (needs->count == 0) {
		word = quote_fix(needs->arena, name);
		findings_add(found, FINDING_PROGRAM_LACKS, name, "", word ? word : "");
	} else if (needs->hidden) {
		word = quote_fix(needs->arena, outside);
		findings_add(found, FINDING_PROGRAM_HIDDEN, name, "", word ? word : "");
	} else {
		findings_add(found, FINDING_NOT_INSIDE, name, outside, words ? words : "");
	}
}

// Explains a name that is a shell line, an assignment or a builtin.
static void not_found(char *const *command, struct findings *found)
{
	static const char builtins[] = "cd export source . alias unset ulimit umask set eval exec";
	const char *name = command[0], *equals = strchr(name, '=');
	char leads[PATH_MAX];
	struct arena *arena = arena_new_of(TEXTS_BYTES);
	ssize_t size = strchr(name, '/') ? readlink(name, leads, sizeof(leads)) : -1;
	bool line = !command[1] && strpbrk(name, " \t;&|") && !strchr(name, '/');
	const char *what = "not found", *fix = NULL, *text = name;
	if (size > 0) {
		what = arena_text(arena, "it is a symlink to '%s', which %s",
				  str_shown(arena_copy(arena, leads, (size_t)size)),
				  access(name, F_OK) == 0 ? "cannot be executed"
							  : "does not exist");
	} else if (line || str_has_word(builtins, name, strlen(name))) {
		for (char *const *word = command + 1; *word; word++)
			text = arena_text(arena, "%s %s", text, *word);
		what = "it is a line for a shell";
		fix = quote_fix(arena, text);
		fix = fix ? arena_text(arena, "sbx run -c %s", fix) : NULL;
	} else if (equals && equals > name && strcspn(name, "/ ") > (size_t)(equals - name)) {
		what = "it sets a variable";
		fix = quote_fix(arena, name);
		fix = fix ? arena_text(arena, "sbx run -e %s --", fix) : NULL;
		for (char *const *word = command + 1; fix && *word; word++)
			fix = arena_text(arena, "%s %s", fix, quote_word(arena, *word));
	}
	findings_add(found, fix ? FINDING_SCRIPT : FINDING_NOT_FOUND, name, what, fix ? fix : "");
	arena_free(arena);
}

void program_absent(const struct plan *plan, struct findings *found)
{
	const char *name = plan->command[0];
	char outside[PATH_MAX], real[PATH_MAX];
	if (!find_outside(plan, outside) || !realpath(outside, real)) {
		not_found(plan->command, found);
		return;
	}
	struct arena *arena = arena_new_of(TEXTS_BYTES);
	struct needs needs = { plan, arena, { NULL }, 0, false };
	const char *interpreter = interpreter_of(arena, real);
	if (!interpreter || !find_script(arena, name, interpreter, found)) {
		need_link_and_target(&needs, outside, "pyvenv.cfg");
		if (interpreter)
			need_link_and_target(&needs, interpreter, "lib");
		find_needs(&needs, name, outside, found);
	}
	arena_free(arena);
}

static bool sees_all(const struct plan *plan, const char *list)
{
	char directory[PATH_MAX];
	while (path_list_next(&list, directory))
		if (!judge_shows(plan, directory))
			return false;
	return true;
}

void program_other(const struct plan *plan, struct findings *found)
{
	const char *name = plan->command[0], *list = getenv("PATH");
	char first[PATH_MAX], here[PATH_MAX], real_first[PATH_MAX], real_here[PATH_MAX];
	const char *own = env_value(plan, "PATH");
	if (!*name || strchr(name, '/') || !own || !list || !str_equal(own, list) ||
	    sees_all(plan, list) || !find_program(name, list, NULL, first) ||
	    judge_shows(plan, first) || !find_program(name, list, plan, here) ||
	    !realpath(first, real_first) || !realpath(here, real_here) ||
	    str_equal(real_first, real_here))
		return;
	struct arena *arena = arena_new_of(TEXTS_BYTES);
	struct needs needs = { plan, arena, { NULL }, 0, false };
	need_link_and_target(&needs, first, "pyvenv.cfg");
	const char *word = needs.count ? path_word(&needs, needs.paths[0]) : NULL;
	findings_add(found, FINDING_OTHER_PROGRAM, name,
		     arena_text(arena, "the box ran %s; %s, first in your PATH, is not in the box",
				here, first),
		     word ? arena_text(arena, "--read %s", word) : "");
	arena_free(arena);
}

static bool is_gap(char c)
{
	return strchr(" \t", c) != NULL;
}

// True for "cd x && sudo make install", false for "ls sudo".
static bool shell_runs(const char *text, const char *word)
{
	size_t length = strlen(word);
	for (const char *at = text; (at = strstr(at, word)); at += length) {
		const char *before = at;
		while (before > text && is_gap(before[-1]))
			before--;
		if ((before == text || strchr("\n;&|(`{!'\"", before[-1])) &&
		    (!at[length] || strchr(" \t\n;&|)'\"", at[length])))
			return true;
	}
	return false;
}

static bool command_runs(const struct plan *plan, const char *program)
{
	char *const *word = plan->command;
	if (!*word || str_equal(path_name(*word), program))
		return *word != NULL;
	while (*++word)
		if (strpbrk(*word, " \t\n") && shell_runs(*word, program))
			return true;
	return false;
}

static bool has_socket(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (str_equal(path_name(plan->mounts[i].target), name))
			return true;
	return false;
}

void program_needs(const struct plan *plan, struct findings *found)
{
	static const struct {
		const char *name, *socket;
	} rows[] = {
		{ "sudo", NULL },
		{ "doas", NULL },
		{ "pkexec", NULL },
		{ "docker", "docker.sock" },
		{ "podman", "podman.sock" },
	};
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		bool lacks = rows[i].socket ? !has_socket(plan, rows[i].socket) : !plan->as_root;
		if (!lacks || !command_runs(plan, rows[i].name))
			continue;
		findings_add(found, rows[i].socket ? FINDING_NO_DAEMON : FINDING_NO_RIGHTS,
			     rows[i].name, "", rows[i].name);
		return;
	}
}

void program_withheld(const struct plan *plan, struct findings *found)
{
	for (unsigned i = 0; i < plan->variable_count; i++) {
		const struct variable *variable = &plan->variables[i];
		const char *profile = variable->value ? NULL : variable_profile(variable->name);
		if (profile)
			findings_add(found, FINDING_WITHHELD, variable->name, "", profile);
	}
}

// Variables with paths that a program silently skips if the box lacks them.
static const char naming_variables[] =
	"LD_LIBRARY_PATH NODE_OPTIONS NODE_PATH JAVA_TOOL_OPTIONS _JAVA_OPTIONS "
	"JDK_JAVA_OPTIONS JAVA_HOME CLASSPATH MAVEN_OPTS GRADLE_OPTS PYTHONPATH PYTHONHOME "
	"PERL5LIB RUBYLIB PKG_CONFIG_PATH CMAKE_PREFIX_PATH CPATH C_INCLUDE_PATH LIBRARY_PATH "
	"CURL_HOME GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES";

static bool find_lacking_path(const struct plan *plan, const char *value, char path[PATH_MAX])
{
	static const char ends[] = " \t:;=,\"'";
	for (const char *at = value; *at; at += strspn(at, ends)) {
		size_t length = strcspn(at, ends);
		if (*at == '/' && str_put(path, PATH_MAX, "%.*s", (int)length, at) &&
		    str_visible(path) && access(path, F_OK) == 0 && !judge_shows(plan, path))
			return true;
		at += length;
	}
	return false;
}

void program_names(const struct plan *plan, struct findings *found)
{
	char path[PATH_MAX];
	for (unsigned i = 0; i < plan->variable_count; i++) {
		const char *name = plan->variables[i].name, *value = plan->variables[i].value;
		if (!str_has_word(naming_variables, name, strlen(name)))
			continue;
		if (!value)
			findings_add(found, FINDING_NOT_PASSED, name, plan->variables[i].why, name);
		else if (find_lacking_path(plan, value, path))
			findings_add(found, FINDING_NAMES_ABSENT, name, path,
				     judge_final(plan, path, false) ? "" : path);
	}
}

enum { SHOWN_MAX = 3 };

static bool is_unseen(const struct plan *plan, const char *directory)
{
	if (!path_within(directory, plan->home) || !str_visible(directory) ||
	    access(directory, X_OK) < 0)
		return false;
	enum verdict_of_path verdict = judge_path(plan, directory).verdict;
	return verdict != PATH_READ && verdict != PATH_WRITE;
}

unsigned program_unseen(const struct plan *plan, const char *list, struct out *out)
{
	char directory[PATH_MAX];
	unsigned count = 0;
	while (path_list_next(&list, directory))
		if (is_unseen(plan, directory) && count++ < SHOWN_MAX)
			out_text(out, " %s", directory);
	if (count > SHOWN_MAX)
		out_text(out, " and more");
	return count;
}
