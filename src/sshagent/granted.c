// Owns the making of rules from known_hosts, public key files and the agent's list of keys.
#include "sshagent/sshagent.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>

#include "base/base.h"
#include "base/fd.h"
#include "base/sys.h"
#include "plan.h"

enum { KNOWN_BYTES_MAX = 4 << 20, KEY_FILE_MAX = 64 << 10, AGENT_SECONDS = 30 };

// Returns 1, or 0 if there is no file, or -1.
static int read_file(const struct plan *plan, const char *path, size_t most, const char **ret_text,
		     size_t *ret_length)
{
	struct stat status;
	autoclose int fd = sys_openat2(AT_FDCWD, path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC,
				       RESOLVE_NO_SYMLINKS);
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(errno, "'%s'", path);
	if (!S_ISREG(status.st_mode))
		return fail(0, "'%s' is not a regular file", path);
	if (status.st_nlink > 1 && status.st_uid == plan->uid)
		return fail(0,
			    "'%s' decides what your agent signs, and has another name, by which a "
			    "box may write it; replace it by a copy",
			    str_shown(path));
	return file_read_open(fd, &status, most, plan->arena, ret_text, ret_length) < 0
		       ? file_failed(path, most)
		       : 1;
}

static int check_hosts(const struct plan *plan, const struct known_host *hosts)
{
	unsigned i = 0;
	list_each (item, &plan->agent.hosts) {
		const struct known_host *host = &hosts[i++];
		if (host->keys > 0 || item->from.order < ORDER_FLAGS)
			continue; // a profile may list unknown hosts
		if (host->by_authority)
			return fail(0,
				    "--agent-host: known_hosts has '%s' by @cert-authority alone, "
				    "which is not read; add its key: ssh-keyscan %s",
				    host->name, host->name);
		return fail(0,
			    "--agent-host: known_hosts has no key of '%s'; connect once outside of "
			    "the box: ssh %s",
			    host->name, item->text);
	}
	return 0;
}

static int read_hosts(const struct plan *plan, struct agent_rules *rules)
{
	struct known_host hosts[KNOWN_HOSTS_MAX] = { 0 };
	unsigned count = 0;
	list_each (item, &plan->agent.hosts)
		if (count == KNOWN_HOSTS_MAX || !known_host_parse(item->text, &hosts[count++]))
			return fail(0, "--agent-host: at most %d hosts", KNOWN_HOSTS_MAX);
	list_each (item, &plan->agent.known) {
		const char *text = "";
		size_t length = 0;
		TRY(read_file(plan, item->text, KNOWN_BYTES_MAX, &text, &length));
		unsigned line = known_hosts_read(rules, hosts, count, text, length);
		if (line)
			return fail(0,
				    "%s:%u: a line @revoked that cannot be read, or more than %d "
				    "keys; correct or remove it",
				    item->text, line, AGENT_HOST_KEYS_MAX);
	}
	return check_hosts(plan, hosts);
}

static size_t ask_agent(int agent, uint8_t *bytes)
{
	static const uint8_t request[] = { 0, 0, 0, 1, AGENT_REQUEST_IDENTITIES };
	uint8_t head[4];
	struct wire wire = { head, sizeof(head) };
	uint32_t length;
	autoclose int fd = agent_connect(agent, AGENT_SECONDS);
	if (fd < 0 || fd_write_all(fd, request, sizeof(request)) < 0 ||
	    fd_read_all(fd, head, sizeof(head)) != sizeof(head) || !wire_number(&wire, &length) ||
	    length > AGENT_ANSWER_MAX || fd_read_all(fd, bytes, length) != (ssize_t)length)
		return 0;
	return length;
}

static bool add_key(struct agent_rules *rules, const uint8_t hash[SHA256_BYTES])
{
	if (rules->key_count == AGENT_KEYS_MAX)
		return false;
	memcpy(rules->keys[rules->key_count++], hash, SHA256_BYTES);
	return true;
}

static unsigned add_named(struct agent_rules *rules, const uint8_t *bytes, size_t length,
			  const char *comment)
{
	struct wire wire = { bytes, length };
	struct wire_string key, its;
	uint8_t type, hash[SHA256_BYTES];
	uint32_t count;
	unsigned found = 0;
	if (!wire_byte(&wire, &type) || type != AGENT_IDENTITIES_ANSWER ||
	    !wire_number(&wire, &count))
		return 0;
	while (count-- > 0 && wire_string(&wire, &key) && wire_string(&wire, &its)) {
		if (!wire_is(&its, comment))
			continue;
		sha256(key.bytes, key.length, hash);
		found += add_key(rules, hash);
	}
	return found;
}

static int add_by_comment(struct agent_rules *rules, int agent, const char *comment)
{
	uint8_t *bytes = malloc(AGENT_ANSWER_MAX);
	size_t length = bytes ? ask_agent(agent, bytes) : 0;
	unsigned found = length > 0 ? add_named(rules, bytes, length, comment) : 0;
	free(bytes);
	if (length == 0)
		return fail(0,
			    "--agent-key: your agent does not answer; is it running? ssh-add -l");
	return found > 0 ? 0
			 : fail(0,
				"--agent-key: your agent has no key with the comment '%s', and "
				"no such file NAME.pub was named; see: ssh-add -l",
				comment);
}

static int add_from_file(const struct plan *plan, struct agent_rules *rules, const char *path)
{
	const char *text = "";
	size_t length = 0;
	uint8_t hash[SHA256_BYTES];
	int found = read_file(plan, path, KEY_FILE_MAX, &text, &length);
	TRY(found);
	if (found == 0)
		return fail(0, "--agent-key: there is no '%s'", str_shown(path));
	if (!known_public_key(text, length, hash))
		return fail(
			0, "--agent-key: '%s' is not a public key; name the file that ends in .pub",
			str_shown(path));
	return add_key(rules, hash) ? 0 : fail(0, "--agent-key: at most %d keys", AGENT_KEYS_MAX);
}

static int read_keys(const struct plan *plan, int agent, struct agent_rules *rules)
{
	uint8_t hash[SHA256_BYTES];
	list_each (item, &plan->agent.keys) {
		if (item->text[0] == '/')
			TRY(add_from_file(plan, rules, item->text));
		else if (!known_fingerprint(item->text, hash))
			TRY(add_by_comment(rules, agent, item->text));
		else if (!add_key(rules, hash))
			return fail(0, "--agent-key: at most %d keys", AGENT_KEYS_MAX);
	}
	return 0;
}

int rules_read(const struct plan *plan, int agent, struct agent_rules *rules)
{
	list_each (item, &plan->agent.namespaces) {
		if (rules->namespace_count == AGENT_NAMESPACES_MAX ||
		    strlen(item->text) >= AGENT_NAME)
			return fail(0, "--agent-sign: at most %d short names",
				    AGENT_NAMESPACES_MAX);
		snprintf(rules->namespaces[rules->namespace_count++], AGENT_NAME, "%s", item->text);
	}
	TRY(read_keys(plan, agent, rules));
	return read_hosts(plan, rules);
}
