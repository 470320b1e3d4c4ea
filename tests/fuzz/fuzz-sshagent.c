// libFuzzer: what a box writes to the filter before an ssh-agent, what an agent answers, and
// known_hosts. A signature is asked for only where a login is whole, of a listed key, and of the
// session that is bound to a listed host; a list holds listed keys alone.
#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "sshagent/sshagent.h"
#include "text/sha.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct agent_rules rules;

// Hosts by these very blobs, which words/fuzz-sshagent has.
static void begin_rules(void)
{
	static const char *const hosts[] = { "HOSTONE", "HOSTTWO", "HOSTOLD" };
	uint8_t hash[SHA256_BYTES];
	memset(&rules, 0, sizeof(rules));
	sha256("KEYONE", 6, rules.keys[rules.key_count++]);
	memcpy(rules.namespaces[rules.namespace_count++], "git", 4);
	for (int i = 0; i < 3; i++) {
		sha256(hosts[i], strlen(hosts[i]), hash);
		struct agent_host_key *host = agent_host_key(&rules, hash);
		assert(host && host == agent_host_key(&rules, hash));
		host->allowed = i != 1;
		host->revoked = i == 2;
		if (i == 1)
			memcpy(host->name, "two.example", 12);
	}
}

static void check_signs(const struct agent_connection *connection, const uint8_t *bytes,
			size_t length)
{
	struct wire wire = { bytes + 1, length - 1 };
	struct wire_string key, text, session;
	assert(wire_string(&wire, &key) && wire_is(&key, "KEYONE"));
	assert(wire_string(&wire, &text));
	if (text.length > 6 && memcmp(text.bytes, "SSHSIG", 6) == 0)
		return;
	struct wire inner = { text.bytes, text.length };
	assert(wire_string(&inner, &session) && inner.at[0] == 50);
	assert(connection->bound && !connection->refused &&
	       session.length == connection->session_length &&
	       memcmp(session.bytes, connection->session, session.length) == 0);
}

// Requests one after another, each with its length; after each bind a byte of the agent's.
static void play(const uint8_t *data, size_t size)
{
	struct agent_connection connection = { 0 };
	struct wire wire = { data, size };
	struct wire_string request;
	struct refused refusal;
	uint8_t answer;
	while (wire_string(&wire, &request)) {
		enum agent_verdict verdict =
			agent_judge(&rules, &connection, request.bytes, request.length, &refusal);
		assert(verdict == AGENT_REFUSES || !refusal.kind);
		assert(memchr(refusal.what, 0, sizeof(refusal.what)) &&
		       memchr(refusal.why, 0, sizeof(refusal.why)));
		if (verdict == AGENT_SIGNS)
			check_signs(&connection, request.bytes, request.length);
		if (verdict == AGENT_BINDS && wire_byte(&wire, &answer))
			assert(agent_bound(&rules, &connection, &answer, 1, &refusal) ==
			       (answer == AGENT_SUCCESS));
	}
}

static void list(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size + 1);
	memcpy(copy, data, size);
	size_t length = agent_list(&rules, copy, size);
	assert(length <= size);
	assert(length == 0 || agent_list(&rules, copy, length) == length);
	struct wire wire = { copy, length };
	struct wire_string key, comment;
	uint32_t count;
	uint8_t type;
	if (wire_byte(&wire, &type) && wire_number(&wire, &count))
		while (wire_string(&wire, &key) && wire_string(&wire, &comment))
			assert(wire_is(&key, "KEYONE"));
	agent_is_signature(data, size);
	free(copy);
}

static void hosts(const uint8_t *data, size_t size)
{
	struct known_host known[3] = { 0 };
	uint8_t hash[SHA256_BYTES], bytes[64];
	char text[64] = "";
	assert(known_host_parse("one.example", &known[0]));
	assert(known_host_parse("One.Example:2222", &known[1]));
	memcpy(text, data, size < sizeof(text) - 1 ? size : sizeof(text) - 1);
	if (!known_host_parse(text, &known[2]))
		known[2] = known[0];
	known_hosts_read(&rules, known, 3, (const char *)data, size);
	for (unsigned i = 0; i < rules.host_count; i++)
		assert(memchr(rules.hosts[i].name, 0, AGENT_NAME));
	known_public_key((const char *)data, size, hash);
	known_fingerprint(text, hash);
	size_t length = base64_decode(text, strlen(text), bytes, sizeof(bytes));
	char again[96];
	base64_encode(bytes, length, again, sizeof(again));
	assert(length == 0 || strcmp(again, text) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0)
		return 0;
	begin_rules();
	if (data[0] == 'l')
		list(data + 1, size - 1);
	else if (data[0] == 'h')
		hosts(data + 1, size - 1);
	else
		play(data + 1, size - 1);
	return 0;
}
