// Owns the answers of sbx why about error texts, groups of hosts and system calls, and their form.
#include <linux/seccomp.h>
#include <string.h>

#include "base/base.h"
#include "cli/run/why.h"
#include "policy/find.h"
#include "report/print_fields.h"
#include "run/run_command.h"
#include "seccomp/filter.h"
#include "seccomp/syscalls.h"
#include "text/words.h"

enum { COLUMN = 2, DATA_BITS = 0xffff };

bool why_is_error(const char *word)
{
	bool path = strchr("/~.", word[0]) && !strstr(word, ": ");
	return (!path && word[strcspn(word, " \t\n")]) || !word[strcspn(word, ".:/*")];
}

// Returns the text of a placeholder, with neighbouring characters of a path or a host. NULL: it has
// characters that a printed command must not contain.
static const char *captured(struct arena *arena, const char *error, struct span word)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789_-./~@";
	if (!word.at)
		return NULL;
	while (word.at > error && strchr("/.~@-", word.at[-1]))
		word.at--;
	size_t length = strspn(word.at, plain);
	if (word.at + length < word.end)
		return NULL;
	while (length > 1 && word.at[length - 1] == '.')
		length--;
	return arena_copy(arena, word.at, length);
}

static const char *fix_of(struct arena *arena, const char *error, const struct recipe *recipe)
{
	struct out out = { 0 };
	const char *at = recipe->fix, *end = at + recipe->fix_length;
	while (at < end) {
		struct span word = { at, at + strspn(at, "ABCDEFGHIJKLMNOPQRSTUVWXYZ") };
		int placeholder = recipe_placeholder(word);
		const char *value = placeholder < 0
					    ? NULL
					    : captured(arena, error, recipe->captures[placeholder]);
		size_t length = word.end > word.at ? (size_t)(word.end - word.at) : 1;
		out_bytes(&out, value ? value : at, value ? strlen(value) : length);
		at += length;
	}
	const char *fix = arena_copy(arena, out.text, out.used);
	out_free(&out);
	return fix;
}

void why_error(struct box *box, const char *error, struct why *why)
{
	static const char unknown[] =
		"This text is not in sbx-recipes(7). It can be:\n"
		"A file or a program: `sbx run --explain -- COMMAND` names opens, changes of names "
		"and starts that were denied; not a test (stat, ls). `sbx why PATH` says "
		"if a path is in the box.\n"
		"A host: `sbx why` lists what the last run of this project was refused.\n"
		"A variable: `sbx plan` lists those that are withheld.\n"
		"None of these: the command may fail outside of a box, too.\n";
	struct recipe recipe;
	bool known = recipes_find(error, &recipe);
	why->verdict = known ? "recipe" : "unknown";
	const char *at = known ? fix_of(box->arena, error, &recipe) : unknown;
	for (; *at; at += strcspn(at, "\n") + (at[strcspn(at, "\n")] == '\n'))
		out_wrapped(&why->text, known || at == unknown ? 0 : COLUMN, 0,
			    arena_copy(box->arena, at, strcspn(at, "\n")));
}

int why_group(struct box *box, const char *name, struct why *why)
{
	const struct item group = { .text = name };
	struct list hosts = { 0 }, reasons = { 0 };
	bool allowed = list_has(&box->profile.allow, name);
	TRY(groups_add(box->arena, box->plan.home, box->plan.project, NULL, &group, &hosts,
		       &reasons));
	why->verdict = allowed ? "reachable" : "unreachable";
	out_text(&why->text, "%s is a group of hosts%s\n", name, allowed ? ", and allowed" : "");
	if (!allowed)
		why_fix(why, "to reach them:", "--allow", name, name);
	const struct item *reason = reasons.first;
	list_each (item, &hosts) {
		out_text(&why->text, "  %s: %s\n", str_shown(item->text), str_shown(reason->text));
		reason = reason->next;
	}
	return 0;
}

bool why_is_call(const char *word)
{
	for (unsigned i = 0; i < syscall_number_count; i++)
		if (str_equal(syscall_numbers[i].name, word))
			return true;
	return false;
}

static const char *group_with(const char *name)
{
	for (unsigned i = 0; i < syscall_number_count; i++)
		if (str_equal(syscall_numbers[i].name, name) &&
		    syscall_numbers[i].group >= GROUP_FIRST_OPTIONAL &&
		    syscall_groups[syscall_numbers[i].group].verdict == VERDICT_ALLOW)
			return syscall_groups[syscall_numbers[i].group].name;
	return NULL;
}

void why_call(struct box *box, const char *name, struct why *why)
{
	unsigned number = 0;
	bool arguments = false;
	for (unsigned i = 0; i < syscall_number_count; i++)
		if (str_equal(syscall_numbers[i].name, name))
			number = syscall_numbers[i].number;
	uint32_t answer =
		filter_answer(box->plan.filter.code, box->plan.filter.count, number, &arguments);
	const char *group = group_with(name);
	bool denied = false;
	list_each (item, &box->profile.syscalls_deny)
		denied = denied || str_equal(item->text, name);
	out_text(&why->text, "system call %s: ", name);
	why->verdict = arguments                     ? "by-arguments"
		       : answer == SECCOMP_RET_ALLOW ? "allowed"
		       : (answer & DATA_BITS)        ? "denied"
						     : "ignored";
	if (arguments)
		out_text(&why->text, "its arguments decide\n");
	else if (answer == SECCOMP_RET_ALLOW)
		out_text(&why->text, "allowed\n");
	else if ((answer & ~(uint32_t)DATA_BITS) == SECCOMP_RET_ERRNO && !(answer & DATA_BITS))
		out_text(&why->text, "does nothing, and succeeds\n");
	else
		out_text(&why->text, "denied (%s)\n",
			 (answer & DATA_BITS) == 1 ? "EPERM" : "ENOSYS");
	if (answer != SECCOMP_RET_ALLOW && !arguments && group && !denied)
		why_fix(why, "to allow it:", "--allow-syscalls", group, group);
	else if (answer != SECCOMP_RET_ALLOW && !arguments && (answer & DATA_BITS))
		out_text(&why->text, "  no option allows it%s\n",
			 denied ? " (--deny-syscalls)" : "");
}

const char *why_line(struct box *box, const struct origin *from)
{
	if (!from->file)
		return "sbx itself";
	return from->line ? arena_text(box->arena, "%s, line %u", from->file, from->line)
			  : from->file;
}

void why_fix(struct why *why, const char *purpose, const char *option, const char *word,
	     const char *value)
{
	out_text(&why->text, "  %s %s %s\n", purpose, option, word);
	if (why->fix_count < WHY_FIXES_MAX)
		why->fixes[why->fix_count++] = (struct why_fix){ option, value };
}

void why_print(struct out *out, struct why *why)
{
	if (!out->json) {
		out_bytes(out, why->text.text, why->text.used);
		return;
	}
	print_open(out, NULL, '{');
	print_members(out, MEMBER("asked", why->asked), MEMBER("kind", why->kind),
		      MEMBER("verdict", why->verdict), MEMBER("rule", why->line));
	print_open(out, "text", '[');
	for (char *line = strtok(why->text.text, "\n"); line; line = strtok(NULL, "\n"))
		json_string(out, NULL, line);
	print_close(out, ']');
	print_open(out, "fixes", '[');
	for (unsigned i = 0; i < why->fix_count; i++)
		print_one(out, MEMBER("option", why->fixes[i].option),
			  MEMBER("value", why->fixes[i].value));
	print_close(out, ']');
	print_close(out, '}');
}
