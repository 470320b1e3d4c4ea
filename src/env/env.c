// Owns the building of the environment: what passes, what is set, what is withheld and why.
#include "env/env.h"

#include <sched.h>
#include <string.h>
#include <strings.h>

#include "base/base.h"
#include "git/gitconfig.h"
#include "plan.h"
#include "text/words.h"

static const char default_path[] = "/usr/local/bin:/usr/bin:/bin";

static const struct item *named(const struct list *list, const char *name)
{
	const struct item *last = NULL;
	list_each (item, list)
		if (str_match(name, item->text) && (!last || item->from.order > last->from.order))
			last = item;
	return last;
}

static bool later(const struct item *one, const struct item *other)
{
	return one && (!other || one->from.order > other->from.order);
}

static bool minimal(const char *name)
{
	for (const char *const *pattern = variables_minimal; *pattern; pattern++)
		if (str_match(name, *pattern))
			return true;
	return false;
}

static const struct mount *mount_at(const struct plan *plan, const char *path)
{
	const struct mount *above = NULL;
	for (unsigned i = 0; i < plan->mount_count; i++)
		if (path_within(path, plan->mounts[i].target))
			above = &plan->mounts[i];
	return above;
}

// True if the box can write the directory. A new tmpfs has no directories below its top.
static bool writable_inside(const struct plan *plan, const char *path)
{
	const struct mount *above = mount_at(plan, path);
	return above && above->access == ACCESS_WRITE &&
	       (above->kind != MOUNT_TMPFS || str_equal(above->target, path));
}

// Whether TMPDIR, or TMPPREFIX (zsh's here-documents), names no writable directory of the
// box.
static bool is_no_place(const struct plan *plan, const char *name, const char *value)
{
	bool prefix = str_equal(name, "TMPPREFIX");
	if (!prefix && !str_equal(name, "TMPDIR"))
		return false;
	const char *place = path_clean(plan->arena, value);
	return value[0] != '/' ||
	       !writable_inside(plan, prefix ? path_parent(plan->arena, place) : place);
}

static bool is_proxy_variable(const char *name)
{
	size_t length = strlen(name);
	return length > strlen("_proxy") &&
	       strcasecmp(name + length - strlen("_proxy"), "_proxy") == 0;
}

static bool is_source(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->credential_count; i++)
		if (plan->credentials[i].kind == SECRET_VARIABLE &&
		    str_equal(plan->credentials[i].source, name))
			return true;
	return false;
}

const char *env_withheld(const struct plan *plan, const char *name, const char *value)
{
	const struct profile *profile = plan->profile;
	const struct item *pass = named(&profile->environment_pass, name);
	if (is_source(plan, name))
		return "its secret stays outside";
	if (later(named(&profile->environment_unset, name), pass))
		return "the profile leaves it out";
	if (list_has(&profile->environment_pass, name))
		return NULL;
	list_each (item, &plan->unbrought)
		if (str_equal(item->from.file, name))
			return item->text;
	if (is_no_place(plan, name, value))
		return "it is not writable in the box; /tmp is";
	switch (profile->environment) {
	case ENVIRONMENT_MINIMAL:
		if (!minimal(name) && !pass)
			return "mode minimal";
		break;
	case ENVIRONMENT_FILTERED:
		break;
	}
	if (str_equal(name, "GIT_CONFIG_PARAMETERS") && gitsecret_parameters(plan->arena, value))
		return "one of its keys says that it is a secret";
	if (plan->egress.on && is_proxy_variable(name))
		return "the box's network needs no proxy variables; sbx itself goes by it";
	return variable_withheld(name, value);
}

static struct variable *variable_of(const struct plan *plan, const char *name)
{
	for (unsigned i = 0; i < plan->variable_count; i++)
		if (str_equal(plan->variables[i].name, name))
			return &plan->variables[i];
	return NULL;
}

static void set(struct plan *plan, const char *name, const char *value)
{
	struct variable *variable = variable_of(plan, name);
	if (!variable)
		variable = &plan->variables[plan->variable_count++];
	*variable = (struct variable){ .name = name, .value = value };
}

// Returns a registry's address without user and password. Without an address a tool would ask a
// public registry for private names. NULL: withheld.
static const char *without_user(const struct plan *plan, const char *name, const char *value)
{
	bool registry = false;
	for (const char *const *row = variables_of_registries; *row && !registry; row++)
		registry = str_match(name, *row);
	const char *shown = registry ? textsecret_strip(plan->arena, value) : NULL;
	return shown && !textsecret_is(shown) && !env_withheld(plan, name, shown) ? shown : NULL;
}

// Removes "--require FILE" of an editor's terminal, which needs withheld VSCODE_* variables.
static const char *without_editor(const struct plan *plan, const char *value)
{
	const char *mark = strcasestr(value, "/.vscode"), *from = mark;
	const struct mount *seen;
	while (from && from > value && from[-1] != ' ' && from[-1] != '=')
		from--;
	seen = from ? mount_at(plan, from) : NULL;
	if (!from || (seen && seen->kind == MOUNT_BIND && !seen->cache))
		return value;
	const char *end = mark + strcspn(mark, " ");
	while (from > value && (from[-1] == ' ' || from[-1] == '='))
		from--;
	while (from > value && from[-1] != ' ')
		from--;
	return arena_text(plan->arena, "%.*s%s", (int)(from - value), value, end);
}

static void take_callers(struct plan *plan, char *const *environment)
{
	for (char *const *entry = environment; *entry; entry++) {
		size_t length = strcspn(*entry, "=");
		if ((*entry)[length] != '=' || length == 0)
			continue;
		const char *name = arena_copy(plan->arena, *entry, length);
		const char *value = *entry + length + 1;
		const char *why = env_withheld(plan, name, value);
		const char *shown = why ? without_user(plan, name, value) : value;
		if (!why && str_equal(name, "NODE_OPTIONS") &&
		    !list_has(&plan->profile->environment_pass, name))
			shown = without_editor(plan, value);
		if (shown && !str_equal(shown, value))
			list_add(
				&plan->notes, plan->arena,
				arena_text(
					plan->arena,
					"%s is passed without %s; to pass all of it: --pass-env %s",
					name,
					why ? "user and password" : "what VS Code's debugger adds",
					name),
				(struct origin){ .file = "env" });
		struct variable *variable = &plan->variables[plan->variable_count++];
		*variable = (struct variable){ name, shown, shown ? NULL : why, *entry };
	}
}

static const char git_key[] = "GIT_CONFIG_KEY_", git_value[] = "GIT_CONFIG_VALUE_";

// Withholds both variables of a pair of GIT_CONFIG_COUNT (git(1)) if one is withheld.
static void judge_pairs(struct plan *plan)
{
	for (unsigned i = 0; i < plan->variable_count; i++) {
		struct variable *key = &plan->variables[i];
		if (!str_starts(key->name, git_key))
			continue;
		struct variable *value =
			variable_of(plan, arena_text(plan->arena, "%s%s", git_value,
						     key->name + strlen(git_key)));
		if (!value || list_has(&plan->profile->environment_pass, value->name))
			continue;
		const char *why = key->why ? key->why : value->why;
		if (!why && gitsecret_is(plan->arena, key->value, value->value))
			why = "its key says that it is a secret";
		if (why)
			key->why = value->why = why, key->value = value->value = NULL;
	}
}

// Returns a placeholder for a withheld key or value: git stops at a missing one ("missing config
// key").
static const char *stand_in(const struct plan *plan, const char *name)
{
	if (!env_value(plan, "GIT_CONFIG_COUNT"))
		return NULL;
	return str_starts(name, git_key) ? "sbx.withheld" : str_starts(name, git_value) ? "" : NULL;
}

static void set_own(struct plan *plan, const char *name, const char *value)
{
	if (!list_has(&plan->profile->environment_unset, name))
		set(plan, name, value);
}

// npm and pnpm (fetch-retries, npm-config(7)), pip (--retries) and cargo (net.retry) repeat denied
// connections for up to a minute. The other programs look for a newer version at each start, as a
// new home has no record of the last check.
static const struct {
	const char *name, *value;
} quiet[] = {
	{ "npm_config_fetch_retry_mintimeout", "100" },
	{ "npm_config_fetch_retry_maxtimeout", "400" },
	{ "pnpm_config_fetch_retry_mintimeout", "100" }, // pnpm 11
	{ "pnpm_config_fetch_retry_maxtimeout", "400" },
	{ "PIP_RETRIES", "1" },
	{ "CARGO_NET_RETRY", "1" },
	{ "npm_config_update_notifier", "false" },  // npm-config(7), update-notifier
	{ "pnpm_config_update_notifier", "false" }, // pnpm.io/settings, updateNotifier
	{ "NO_UPDATE_NOTIFIER", "1" },              // update-notifier's readme; many npm programs
	{ "PIP_DISABLE_PIP_VERSION_CHECK", "1" },   // pip --help, --disable-pip-version-check
	{ "GH_NO_UPDATE_NOTIFIER", "1" },           // gh help environment
	{ "DENO_NO_UPDATE_CHECK", "1" },            // deno --help, environment variables
	{ "CHECKPOINT_DISABLE", "1" },              // Checkpoint of HashiCorp's programs
	{ "POWERSHELL_UPDATECHECK", "Off" },        // about_Update_Notifications
};

// Counts the processors that sched_setaffinity(2) left to this process.
static uint64_t own_processors(void)
{
	cpu_set_t set;
	return sched_getaffinity(0, sizeof(set), &set) < 0 ? 0 : (uint64_t)CPU_COUNT(&set);
}

// Sets variables for the limits, only those that programs read without a message.
static void set_sizes(struct plan *plan)
{
	enum { NODE = 48, HEAP_PARTS = 4, HEAP_MOST = 4096, MEBI = 1 << 20, THOUSAND = 1000 };
	static const char *const counts[] = {
		"OMP_NUM_THREADS",  // nproc(1), OpenMP, OpenBLAS
		"GOMAXPROCS",       // runtime of Go
		"PYTHON_CPU_COUNT", // python(1), -X cpu_count
	};
	const struct limits *limits = &plan->profile->limits;
	uint64_t processors = limits->cpu / THOUSAND + (limits->cpu % THOUSAND != 0);
	bool fewer = processors < own_processors();
	uint64_t heap = (limits->memory / MEBI - NODE) / HEAP_PARTS * (HEAP_PARTS - 1);
	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++)
		if (fewer && !env_value(plan, counts[i]))
			set_own(plan, counts[i],
				arena_text(plan->arena, "%llu", (unsigned long long)processors));
	if (!(limits->soft & LIMIT_BIT(memory)) && heap < HEAP_MOST &&
	    !env_value(plan, "NODE_OPTIONS"))
		set_own(plan, "NODE_OPTIONS",
			arena_text(plan->arena, "--max-old-space-size=%llu",
				   (unsigned long long)heap));
}

static void set_all_own(struct plan *plan)
{
	set_own(plan, "HOME", plan->home);
	set_own(plan, "SBX", "1");
	const char *path = env_value(plan, "PATH");
	if (!path || !path[0])
		set(plan, "PATH", default_path);
	const char *logical = env_value(plan, "PWD");
	if (!logical || !plan->current || !str_equal(plan->directory, plan->current))
		set_own(plan, "PWD", plan->directory);
	if (plan->without_husky && !env_value(plan, "HUSKY"))
		set_own(plan, "HUSKY", "0");
	if (plan->without_gitconfig) {
		set_own(plan, "GIT_CONFIG_GLOBAL", "/dev/null");
		set_own(plan, "GIT_CONFIG_NOSYSTEM", "1");
	}
	if (plan->agent.socket)
		set_own(plan, "SSH_AUTH_SOCK", plan->agent.socket);
	if (plan->temporary)
		set_own(plan, "TMPDIR", plan->temporary);
	set_sizes(plan);
	for (unsigned i = 0; plan->egress.on && i < sizeof(quiet) / sizeof(quiet[0]); i++)
		if (!env_value(plan, quiet[i].name))
			set_own(plan, quiet[i].name, quiet[i].value);
	// Tier landlock has no UDP: libc must query by TCP, and without the host's search list.
	if (plan->egress.on && !plan->own_network) {
		set_own(plan, "RES_OPTIONS", "use-vc ndots:0");
		set_own(plan, "LOCALDOMAIN", ".");
		set_own(plan, "http_proxy", plan->egress.proxy);
		set_own(plan, "https_proxy", plan->egress.proxy);
		set_own(plan, "HTTPS_PROXY", plan->egress.proxy);
		set_own(plan, "all_proxy", plan->egress.proxy);
		set_own(plan, "no_proxy", "localhost,127.0.0.1,::1");
	}
}

// The later of set and unset wins. An untrusted file's unset never wins.
static void set_wanted(struct plan *plan)
{
	list_each (item, &plan->profile->environment_set) {
		const char *name = arena_copy(plan->arena, item->text, strcspn(item->text, "="));
		const struct item *unset = named(&plan->profile->environment_unset, name);
		bool trusted = unset && (unset->from.order < ORDER_UNTRUSTED ||
					 unset->from.order >= ORDER_OWN_FILE);
		if (!trusted || !later(unset, item))
			set(plan, name, item->text + strlen(name) + 1);
	}
}

static void set_credentials(struct plan *plan)
{
	for (unsigned i = 0; i < plan->credential_count; i++) {
		const struct credential *credential = &plan->credentials[i];
		list_each (item, &credential->variables)
			set(plan, item->text,
			    credential->placeholder ? credential->placeholder : "placeholder");
	}
	for (const struct path_variable *one = path_variables; plan->roots_path && one->name; one++)
		if (one->form == PATH_OF_ROOTS)
			set(plan, one->name, plan->roots_path);
}

const char *env_value(const struct plan *plan, const char *name)
{
	const struct variable *variable = variable_of(plan, name);
	return variable ? variable->value : NULL;
}

static void note_absent(struct plan *plan)
{
	list_each (item, &plan->profile->environment_pass) {
		bool flag = item->from.order >= ORDER_FLAGS && item->from.order < ORDER_LOCKED;
		if (flag && !strchr(item->text, '*') && !env_value(plan, item->text))
			list_add(plan->terse ? &plan->notes : &plan->warnings, plan->arena,
				 arena_text(plan->arena,
					    "--pass-env %s: the variable is not set here",
					    item->text),
				 item->from);
	}
}

int env_plan(struct plan *plan, char *const *environment)
{
	enum { OWN_MAX = 40 };
	size_t count = OWN_MAX;
	for (char *const *entry = environment; *entry; entry++)
		count++;
	list_each (item, &plan->profile->environment_set)
		count++;
	list_each (item, &plan->profile->secret_variables)
		count++;
	count += plan->credential_count + path_variable_count;
	plan->variables = arena_take(plan->arena, count * sizeof(*plan->variables));
	take_callers(plan, environment);
	judge_pairs(plan);
	set_all_own(plan);
	set_wanted(plan);
	set_credentials(plan);
	plan->environment = arena_take(plan->arena, (count + 1) * sizeof(char *));
	unsigned used = 0;
	for (unsigned i = 0; i < plan->variable_count; i++) {
		struct variable *variable = &plan->variables[i];
		if (!variable->value) {
			const char *text = stand_in(plan, variable->name);
			if (text)
				plan->environment[used++] =
					arena_text(plan->arena, "%s=%s", variable->name, text);
			continue;
		}
		char *entry = variable->entry;
		if (!entry || variable->value != entry + strlen(variable->name) + 1)
			entry = arena_text(plan->arena, "%s=%s", variable->name, variable->value);
		plan->environment[used++] = entry;
		variable->value = entry + strlen(variable->name) + 1;
	}
	note_absent(plan);
	return 0;
}
