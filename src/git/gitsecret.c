// Owns the knowledge which keys and values of git's configuration are secret. Hostile input:
// bounded, no I/O.
#include "git/gitconfig.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "apart/apart.h"
#include "base/base.h"
#include "text/words.h"

enum { KEY_MAX = 256, LEFT_MAX = 32 };

// Patterns of names, without the text between the first dot and the last. The first match decides.
// Without a match the value decides.
static const struct secret_rule {
	enum { PASSES, PLACE, HELPER, PROXY, NAMES, ROOTS, SECRET } is;
	const char *patterns;
} rules[] = {
	{ PASSES, "user.signingkey core.askpass trailer.key http.sslcertpasswordprotected "
		  "http.proxysslcertpasswordprotected" },
	{ PLACE, "http.sslkey http.proxysslkey http.cookiefile" },
	{ HELPER, "credential.helper" },
	{ PROXY, "*.proxy" },
	// files that git reads (git-config(1)); gpg.* is gpg.ssh.allowedSignersFile
	{ NAMES, "blame.ignorerevsfile commit.template core.attributesfile core.excludesfile "
		 "core.hookspath diff.orderfile gpg.allowedsignersfile gpg.revocationfile "
		 "init.templatedir mailmap.file" },
	{ ROOTS, "http.sslcainfo http.sslcapath" },
	{ SECRET,
	  "*header *token* *passw* *passphrase* *pass *pwd *secret* *apikey* *api-key* "
	  "*accesskey* *access-key* *privatekey* *private-key* *authkey* *.key *.pat *.auth "
	  "*authorization* *bearer* *cookie* *credentials *webhook* *.dsn" },
};

// Returns a proxy without its user, if it has no scheme.
static const char *proxy_host(const char *value)
{
	const char *at = strrchr(value, '@');
	return at && !strstr(value, "://") ? at + 1 : value;
}

static const struct secret_rule *rule_of(const char *name)
{
	static const struct secret_rule unknown = { SECRET, "" };
	char key[KEY_MAX];
	const char *first = strchr(name, '.'), *last = strrchr(name, '.');
	if (strlen(last) + (size_t)(first - name) >= sizeof(key))
		return &unknown;
	snprintf(key, sizeof(key), "%.*s%s", (int)(first - name), name, last);
	for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
		if (str_match_any(key, rules[i].patterns))
			return &rules[i];
	return NULL;
}

static const char *store_file(const char *helper)
{
	const char *file = strstr(helper, "--file");
	if (!strstr(helper, "store") || !file)
		return NULL;
	file += strlen("--file");
	file += strspn(file, "= \t\"'");
	return *file ? file : NULL;
}

static const char *shown_value(struct arena *arena, const struct gitconfig_entry *entry,
			       struct gitsecret *secret)
{
	const struct origin from = { .file = "git" };
	const struct secret_rule *rule = rule_of(entry->name);
	const char *value = entry->value;
	switch (rule ? rule->is : HELPER) {
	case PASSES:
		return value;
	case SECRET:
		return value[0] ? NULL : value;
	case PROXY:
		value = proxy_host(value);
		break;
	case NAMES:
	case ROOTS:
		list_add(&secret->named, arena, arena_copy(arena, value, strlen(value)),
			 (struct origin){
				 .file = arena_copy(arena, entry->name, strlen(entry->name)),
				 .line = rule->is == ROOTS });
		break;
	case PLACE:
		list_add(&secret->places, arena, arena_copy(arena, value, strlen(value)), from);
		return value;
	case HELPER:
		if (rule && store_file(value))
			list_add(&secret->places, arena,
				 arena_copy(arena, store_file(value),
					    strcspn(store_file(value), " \t\"'")),
				 from);
		break;
	}
	value = textsecret_strip(arena, value);
	return value && textsecret_is(value) ? NULL : value;
}

static bool has_value(const struct gitconfig *config, const struct gitconfig_entry *entry)
{
	const char *at = config->text + entry->start;
	at += strlen(strrchr(entry->name, '.') + 1);
	return at[strspn(at, " \t\r")] == '=';
}

static bool has_secret_comment(struct arena *arena, const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (text[i] != '#' && text[i] != ';')
			continue;
		const char *end = memchr(text + i, '\n', length - i);
		size_t size = end ? (size_t)(end - text) - i : length - i;
		const char *line = arena_copy(arena, text + i, size);
		if (textsecret_is(line) || strcasestr(line, "header") || strcasestr(line, "pass") ||
		    strcasestr(line, "token") || textsecret_strip(arena, line) != line)
			return true;
		i += size;
	}
	return false;
}

static void left_out(struct arena *arena, struct gitsecret *secret, const char *section,
		     const char *key)
{
	const char *name = section ? section : "a section";
	if (secret->left_count++ >= LEFT_MAX)
		return;
	list_add(&secret->left, arena, key ? arena_text(arena, "%s.%s", name, key) : name,
		 (struct origin){ .file = "git" });
}

// A secret in the section's name removes the whole section.
static bool filter_section(struct arena *arena, const struct gitconfig *config, unsigned index,
			   unsigned *entry, struct gitconfig_text *out, struct gitsecret *secret)
{
	const char *whole = config->sections[index].name, *name = textsecret_strip(arena, whole);
	bool changed = !name || name != whole || textsecret_has_word(name);
	name = name && !textsecret_has_word(name) ? name : NULL;
	if (changed)
		left_out(arena, secret, name, NULL);
	if (name)
		gitconfig_put_header(out, name);
	for (; *entry < config->count && config->entries[*entry].section == index; ++*entry) {
		const struct gitconfig_entry *one = &config->entries[*entry];
		const char *value = shown_value(arena, one, secret);
		if (name && value)
			gitconfig_put_entry(out, one->name, has_value(config, one) ? value : NULL,
					    true);
		if (value == one->value)
			continue;
		changed = true;
		if (name)
			left_out(arena, secret, name, strrchr(one->name, '.') + 1);
	}
	return changed;
}

int gitsecret_filter(struct arena *arena, const char *text, size_t length,
		     struct gitsecret *ret_secret)
{
	struct gitconfig config;
	struct gitsecret secret = { 0 };
	TRY(gitconfig_parse(arena, text, length, &config));
	size_t size = 2 * length + 16 * ((size_t)config.count + config.section_count) + 1;
	for (unsigned i = 0; i < config.section_count; i++)
		size += 2 * strlen(config.sections[i].name);
	struct gitconfig_text out = { .text = arena_take(arena, size) };
	bool changed = has_secret_comment(arena, text, length);
	if (changed)
		left_out(arena, &secret, "its comments", NULL);
	unsigned entry = 0;
	for (unsigned i = 0; i < config.section_count; i++)
		changed |= filter_section(arena, &config, i, &entry, &out, &secret);
	gitconfig_put(&out, "", 1);
	secret.text = changed ? out.text : NULL;
	*ret_secret = secret;
	return 0;
}

static void read_secrets(struct apart_text *question)
{
	struct out *answer = question->answer;
	struct gitsecret secret;
	if (gitsecret_filter(question->arena, question->text, question->length, &secret) < 0) {
		row_text(answer, ROW_FAILED, err_taken());
		return;
	}
	if (secret.text)
		row_put(answer, ROW_SHOWN, secret.left_count, secret.text, strlen(secret.text));
	list_each (item, &secret.left)
		row_text(answer, ROW_LEFT, item->text);
	list_each (item, &secret.places)
		if (item->text[0])
			row_text(answer, ROW_SECRET, item->text);
}

int gitsecret_ask(enum apart whose, struct arena *arena, const char *text, size_t length,
		  struct gitsecret *ret_secret)
{
	static const unsigned kinds = ROW_BIT(ROW_SHOWN) | ROW_BIT(ROW_LEFT) | ROW_BIT(ROW_SECRET);
	const struct origin from = { .file = "git" };
	const struct apart_text question = { .text = text, .length = length };
	struct rows rows;
	TRY(apart_ask(whose, read_secrets, &question, kinds, arena, &rows));
	*ret_secret = (struct gitsecret){ 0 };
	rows_each (row, &rows)
		if (row->kind == ROW_SHOWN) {
			ret_secret->text = row->text;
			ret_secret->left_count = row->number;
		} else {
			list_add(row->kind == ROW_LEFT ? &ret_secret->left : &ret_secret->places,
				 arena, row->text, from);
		}
	return 0;
}

bool gitsecret_is(struct arena *arena, const char *key, const char *value)
{
	struct gitsecret unused = { 0 };
	char *name = arena_copy(arena, key, strlen(key));
	const char *first = strchr(name, '.'), *last = strrchr(name, '.');
	if (!first || textsecret_strip(arena, name) != name || textsecret_has_word(name))
		return true;
	for (char *at = name; *at; at++)
		if (at < first || at > last)
			*at = (char)tolower((unsigned char)*at);
	const struct gitconfig_entry entry = { .name = name, .value = value };
	return shown_value(arena, &entry, &unused) != value;
}

// Unquotes a word like 'a'\''b'. NULL: there is none.
static char *unquoted(struct arena *arena, const char **at)
{
	char *word = arena_take(arena, strlen(*at) + 1);
	size_t used = 0;
	const char *next = *at;
	while (*next == '\'') {
		size_t length = strcspn(next + 1, "'");
		memcpy(word + used, next + 1, length);
		used += length;
		next += 1 + length;
		if (*next++ != '\'')
			return NULL;
		if (next[0] == '\\' && strchr("'!", next[1]) && next[1]) {
			word[used++] = next[1];
			next += 2;
		}
	}
	word[used] = '\0';
	return next == *at ? NULL : (*at = next, word);
}

bool gitconfig_parameter(struct arena *arena, const char **at, const char **ret_key,
			 const char **ret_value)
{
	char *key = unquoted(arena, at), *value = key ? strchr(key, '=') : NULL;
	if (key && **at == '=') {
		++*at;
		value = **at && **at != ' ' ? unquoted(arena, at) : arena_copy(arena, "", 0);
		key = value ? key : NULL;
	} else if (value) {
		*value++ = '\0';
	}
	if (!key || (**at && **at != ' '))
		return false;
	*at += strspn(*at, " ");
	*ret_key = key;
	*ret_value = value ? value : "";
	return true;
}

bool gitsecret_parameters(struct arena *arena, const char *text)
{
	const char *key, *value;
	while (*text)
		if (!gitconfig_parameter(arena, &text, &key, &value) ||
		    gitsecret_is(arena, key, value))
			return true;
	return false;
}
