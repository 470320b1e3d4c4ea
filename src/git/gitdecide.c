// Owns the decision which changes of git's configuration are applied.
#include "git/gitdecide.h"

#include <string.h>

#include "base/arena.h"
#include "base/str.h"
#include "git/gitconfig.h"
#include "git/gitforms.h"
#include "git/gitkeys.h"
#include "git/gitway.h"

static bool same_values(const struct gitconfig *left, const struct gitconfig *right,
			const char *name)
{
	const struct gitconfig_entry *a = gitconfig_next(left, name, NULL),
				     *b = gitconfig_next(right, name, NULL);
	while (a && b && str_equal(a->value, b->value)) {
		a = gitconfig_next(left, name, a);
		b = gitconfig_next(right, name, b);
	}
	return !a && !b;
}

// A remote, or a branch with "" for one without settings.
struct decided_node {
	const char *kind, *name; // "remote.", "origin"
	unsigned root;           // of those that are applied or withheld together
	bool moved, bad;         // its address changed; it must not be applied
};

static const unsigned NO_NODE = ~0U;
enum { ADDRESSES_SHOWN = 8, ADDRESSES_BYTES = 1000, LINE_FRONT = 32 };

struct decider {
	const struct gitform_look *look;
	const struct gitconfig *before, *after, *now;
	struct gitchange *changes;
	struct decided_node *nodes;
	unsigned count, node_count;
	struct gitconfig_merged *out;
	const char *was, *is; // the remote of branches without settings
};

static bool is_changed(const struct decider *decider, const char *name)
{
	for (unsigned i = 0; i < decider->count; i++)
		if (str_equal(decider->changes[i].name, name))
			return true;
	return false;
}

static unsigned find_node(const struct decider *decider, const char *kind, const char *name,
			  size_t length)
{
	for (unsigned i = 0; i < decider->node_count; i++)
		if (str_equal(decider->nodes[i].kind, kind) &&
		    strncmp(decider->nodes[i].name, name, length) == 0 &&
		    !decider->nodes[i].name[length])
			return i;
	return NO_NODE;
}

static unsigned take_node(struct decider *decider, const char *kind, const char *name,
			  size_t length)
{
	unsigned node = find_node(decider, kind, name, length);
	if (node != NO_NODE)
		return node;
	node = decider->node_count++;
	name = arena_text(decider->look->arena, "%.*s", (int)length, name);
	decider->nodes[node] = (struct decided_node){ kind, name, node, false, false };
	return node;
}

// remote.pushDefault is that of each branch without settings.
static unsigned node_of(struct decider *decider, const char *name)
{
	const char *kind = name[0] == 'r' ? "remote." : "branch.", *last = strrchr(name, '.');
	const char *first = name + strlen(kind);
	if (last < first)
		return take_node(decider, "branch.", "", 0);
	return take_node(decider, kind, first, (size_t)(last - first));
}

static unsigned root_of(struct decider *decider, unsigned node)
{
	struct decided_node *nodes = decider->nodes;
	while (nodes[node].root != node)
		node = nodes[node].root = nodes[nodes[node].root].root;
	return node;
}

static void find_changes(struct decider *decider, const struct gitconfig *side)
{
	for (unsigned i = 0; i < side->count; i++) {
		const char *name = side->entries[i].name;
		const struct gitkey *key = gitkey_find(name);
		if (side == decider->before && str_starts(name, "branch.") &&
		    gitkey_moves(name, key))
			node_of(decider, name);
		if (is_changed(decider, name) ||
		    same_values(decider->before, decider->after, name) ||
		    (key && key->form == GITKEY_PROBED && gitconfig_value(decider->before, name)))
			continue;
		// A change that was made outside meanwhile stays.
		bool good = gitform_has(decider->look, key, name) &&
			    (!gitkey_moves(name, key) ||
			     same_values(decider->before, decider->now, name) ||
			     same_values(decider->after, decider->now, name));
		decider->changes[decider->count++] = (struct gitchange){
			name,  (size_t)(strrchr(name, '.') - name),
			key,   gitkey_moves(name, key) ? node_of(decider, name) : NO_NODE,
			!good, false
		};
	}
}

static bool has_address(const struct gitconfig *config, const char *remote)
{
	return gitway_part(config, "remote.", remote, ".url", 0) != NULL;
}

// Of a remote that stays where it was a key alone is withheld, else it goes with the others.
static void mark_nodes(struct decider *decider)
{
	for (unsigned i = 0; i < decider->count; i++) {
		const struct gitchange *change = &decider->changes[i];
		if (change->node == NO_NODE)
			continue;
		struct decided_node *node = &decider->nodes[change->node];
		node->moved = node->moved || str_ends(change->name, "url");
		bool stays = node->kind[0] == 'r' && has_address(decider->before, node->name) &&
			     has_address(decider->after, node->name);
		node->bad = node->bad || (change->withheld && !stays);
	}
}

static void join_remote(struct decider *decider, unsigned node, const char *remote)
{
	unsigned other = remote ? find_node(decider, "remote.", remote, strlen(remote)) : NO_NODE;
	if (other != NO_NODE && decider->nodes[other].moved)
		decider->nodes[root_of(decider, node)].root = root_of(decider, other);
}

// A branch goes with the remotes that it names and that changed.
static void judge_branch(struct decider *decider, unsigned at, bool all)
{
	struct decided_node *node = &decider->nodes[at];
	bool was_there = !node->name[0] || !gitform_is_new_branch(decider->look, node->name);
	if (!was_there)
		decider->out->branches[decider->out->branch_count++] = node->name;
	for (int push = 0; push < 2; push++) {
		const char *was = gitway_remote(decider->before, node->name, push, decider->was);
		const char *is = gitway_remote(decider->after, node->name, push, decider->is);
		join_remote(decider, at, was);
		join_remote(decider, at, is);
		if (was_there && !gitway_same(decider->before, was, decider->after, is, push))
			node->bad = true;
	}
	if (all && was_there)
		decider->nodes[root_of(decider, at)].root =
			root_of(decider, take_node(decider, "branch.", "", 0));
}

static void judge(struct decider *decider)
{
	bool all = is_changed(decider, "remote.pushdefault");
	take_node(decider, "branch.", "", 0);
	mark_nodes(decider);
	for (unsigned i = 0; i < decider->node_count; i++) {
		struct decided_node *node = &decider->nodes[i];
		if (node->kind[0] == 'b')
			judge_branch(decider, i, all);
		else if (node->moved && has_address(decider->before, node->name) &&
			 has_address(decider->after, node->name))
			for (int push = 0; push < 2; push++)
				node->bad |= !gitway_same(decider->before, node->name,
							  decider->after, node->name, push);
	}
	for (unsigned i = 0; i < decider->node_count; i++)
		if (decider->nodes[i].bad)
			decider->nodes[root_of(decider, i)].bad = true;
}

static void withhold(struct decider *decider, const struct gitchange *change)
{
	enum gitkey_why why = change->key ? change->key->why : GITKEY_RUN;
	const struct gitconfig_entry *entry = gitconfig_next(decider->after, change->name, NULL);
	if (change->withheld && !decider->look->private && change->key &&
	    change->key->form == GITKEY_ADDRESS &&
	    !gitconfig_next(decider->before, change->name, NULL))
		why = GITKEY_NEAR;
	struct gitconfig_withheld row = { change->name, NULL, gitkey_whys[why], false };
	row.several = entry && gitconfig_next(decider->after, change->name, entry);
	bool any = false;
	for (; entry; entry = gitconfig_next(decider->after, change->name, entry)) {
		if (gitconfig_has(decider->before, change->name, entry->value))
			continue;
		row.value = entry->value;
		decider->out->withheld[decider->out->withheld_count++] = row;
		any = true;
	}
	if (!any)
		decider->out->withheld[decider->out->withheld_count++] = row;
}

// Where the host would go by a value that it did not have; NULL: nowhere else. A branch without
// settings leads to another place than all of them.
static const char *leads_to(const struct decider *decider, const struct gitkey *key,
			    const char *was, const char *value)
{
	const char *address = gitway_part(decider->after, "remote.", value, ".url", 0);
	if (key->form == GITKEY_ADDRESS)
		return value;
	if (key->form == GITKEY_MERGED)
		return str_starts(value, "refs/heads/") ? NULL : value;
	if (key->form != GITKEY_TRACKED && key->form != GITKEY_PUSHED)
		return NULL;
	if (!address)
		return str_equal(value, ".") ? NULL : value;
	bool same = gitway_same(decider->before, was && !str_equal(was, ".") ? was : decider->was,
				decider->after, value, key->form == GITKEY_PUSHED);
	return same ? NULL : address;
}

// In a repository that a clone made all are new; git connects by itself where it is a partial one.
static void tell_addresses(struct decider *decider, const struct gitchange *change)
{
	const char *was = gitconfig_value(decider->before, change->name);
	const struct gitconfig_entry *entry = gitconfig_next(decider->after, change->name, NULL);
	const struct decided_node *node =
		change->node == NO_NODE ? NULL : &decider->nodes[change->node];
	struct arena *arena = decider->look->arena;
	const char **addresses = decider->out->addresses, *what = was ? "is changed" : "is new";
	if (decider->look->made &&
	    !(node && gitway_part(decider->after, node->kind, node->name, ".promisor", 0)))
		return;
	if (!entry && was && change->key->form == GITKEY_ADDRESS)
		addresses[decider->out->address_count++] = arena_text(
			arena, "%s is removed: %s", change->name, gitway_host(arena, was));
	for (; entry; entry = gitconfig_next(decider->after, change->name, entry)) {
		const char *address = leads_to(decider, change->key, was, entry->value);
		if (address && !gitconfig_has(decider->before, change->name, entry->value))
			addresses[decider->out->address_count++] =
				arena_text(arena, "%s %s: %s", change->name, what,
					   gitway_host(arena, address));
	}
}

static bool is_good(struct decider *decider, const struct gitchange *change)
{
	return !change->withheld &&
	       (change->node == NO_NODE || !decider->nodes[root_of(decider, change->node)].bad);
}

// More than a report shows: then none is applied, as one could be hidden among the others.
static bool is_too_much(const struct gitconfig_merged *merged)
{
	size_t bytes = 0;
	for (unsigned i = 0; i < merged->address_count; i++)
		bytes += strlen(merged->addresses[i]) + LINE_FRONT;
	return merged->address_count > ADDRESSES_SHOWN || bytes > ADDRESSES_BYTES;
}

unsigned gitdecide(const struct gitform_look *look, const struct gitconfig *now,
		   struct gitchange *changes, struct gitconfig_merged *merged)
{
	const struct gitconfig *before = look->before, *after = look->after;
	struct decider decider_of = { look,
				      before,
				      after,
				      now,
				      changes,
				      .out = merged,
				      .was = gitway_default(look->arena, before),
				      .is = gitway_default(look->arena, after) };
	struct decider *decider = &decider_of;
	unsigned kept = 0;
	decider->nodes = arena_take(look->arena,
				    (before->count + after->count + 1) * sizeof(*decider->nodes));
	find_changes(decider, after);
	find_changes(decider, before);
	judge(decider);
	for (unsigned i = 0; i < decider->count; i++)
		if (changes[i].node != NO_NODE && is_good(decider, &changes[i]))
			tell_addresses(decider, &changes[i]);
	bool many = is_too_much(merged);
	merged->address_count = many ? 0 : merged->address_count;
	for (unsigned i = 0; i < decider->count; i++) {
		struct gitchange *change = &changes[i];
		if (!is_good(decider, change) || (many && change->node != NO_NODE)) {
			withhold(decider, change);
			continue;
		}
		if (change->node == NO_NODE)
			tell_addresses(decider, change);
		changes[kept++] = *change;
	}
	return kept;
}
