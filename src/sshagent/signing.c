// Owns the verdict on a request to the agent, and the part of the answer that the box gets.
#include "sshagent/sshagent.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/base.h"
#include "text/sha.h"

enum { USERAUTH_REQUEST = 50, FLAGS_KNOWN = 2 | 4, NAME_MAX_BYTES = 64 };

static void agent_fingerprint(const uint8_t hash[SHA256_BYTES], char text[AGENT_FINGERPRINT])
{
	memcpy(text, "SHA256:", 8);
	base64_encode(hash, SHA256_BYTES, text + 7, AGENT_FINGERPRINT - 7);
	text[7 + 43] = '\0';
}

static bool refuse_signature(struct refused *refusal, const char *what, const char *why)
{
	refused_set(refusal, REFUSED_SIGNATURE, what, why);
	return false;
}

static bool refuse_unlisted(struct refused *refusal, const char *what, const char *why,
			    enum refused_flag flag, const char *value)
{
	refuse_signature(refusal, what, why);
	refusal->flag = flag;
	snprintf(refusal->value, sizeof(refusal->value), "%s", value);
	return false;
}

static void hash_of(const struct wire_string *blob, uint8_t hash[SHA256_BYTES])
{
	sha256(blob->bytes, blob->length, hash);
}

static bool is_listed(const struct agent_rules *rules, const struct wire_string *blob)
{
	uint8_t hash[SHA256_BYTES];
	hash_of(blob, hash);
	for (unsigned i = 0; i < rules->key_count; i++)
		if (memcmp(rules->keys[i], hash, SHA256_BYTES) == 0)
			return true;
	return false;
}

static const struct agent_host_key *find_host(const struct agent_rules *rules,
					      const uint8_t hash[SHA256_BYTES])
{
	for (unsigned i = 0; i < rules->host_count; i++)
		if (memcmp(rules->hosts[i].hash, hash, SHA256_BYTES) == 0)
			return &rules->hosts[i];
	return NULL;
}

struct agent_host_key *agent_host_key(struct agent_rules *rules, const uint8_t hash[SHA256_BYTES])
{
	const struct agent_host_key *known = find_host(rules, hash);
	if (known)
		return &rules->hosts[known - rules->hosts];
	if (rules->host_count == AGENT_HOST_KEYS_MAX)
		return NULL;
	struct agent_host_key *fresh = &rules->hosts[rules->host_count++];
	*fresh = (struct agent_host_key){ 0 };
	memcpy(fresh->hash, hash, SHA256_BYTES);
	return fresh;
}

static bool judge_host(const struct agent_rules *rules, const uint8_t hash[SHA256_BYTES],
		       struct refused *refusal)
{
	char shown[AGENT_FINGERPRINT];
	const struct agent_host_key *host = find_host(rules, hash);
	if (host && host->allowed && !host->revoked)
		return true;
	agent_fingerprint(hash, shown);
	if (host && host->revoked)
		return refuse_signature(refusal, shown, "known_hosts revokes this host key");
	if (host && host->name[0])
		return refuse_unlisted(refusal, host->name, "the agent signs for listed hosts only",
				       REFUSED_AGENT_HOST, host->name);
	return refuse_signature(refusal, shown,
				host ? "this host key is of no listed host"
				     : "known_hosts has no such host key; to add it, connect "
				       "outside of the box: ssh HOST");
}

static bool read_bind(struct wire wire, struct wire_string *ret_host,
		      struct wire_string *ret_session, uint8_t *ret_forwarding)
{
	struct wire_string signature;
	return wire_string(&wire, ret_host) && wire_string(&wire, ret_session) &&
	       wire_string(&wire, &signature) && wire_byte(&wire, ret_forwarding) &&
	       wire.left == 0 && ret_host->length > 0 && ret_session->length > 0 &&
	       ret_session->length <= AGENT_SESSION_MAX;
}

static bool is_bound_to(const struct agent_connection *connection,
			const struct wire_string *session)
{
	return connection->bound && connection->session_length == session->length &&
	       memcmp(connection->session, session->bytes, session->length) == 0;
}

static enum agent_verdict judge_bind(const struct agent_rules *rules,
				     struct agent_connection *connection, struct wire wire,
				     struct refused *refusal)
{
	struct wire_string host, session;
	uint8_t forwarding, hash[SHA256_BYTES];
	bool before = connection->refused;
	connection->refused = true;
	if (!read_bind(wire, &host, &session, &forwarding)) {
		refuse_signature(refusal, "a session", "its session-bind@openssh.com is malformed");
		return AGENT_REFUSES;
	}
	if (forwarding) {
		refuse_signature(refusal, "a forwarded agent",
				 "another host would use it; log in from the box itself, with "
				 "ssh -J in place of ssh -A");
		return AGENT_REFUSES;
	}
	hash_of(&host, hash);
	if (is_bound_to(connection, &session) &&
	    memcmp(connection->host, hash, SHA256_BYTES) == 0) {
		connection->refused = before;
		return AGENT_KNOWS;
	}
	if (connection->bound) {
		refuse_signature(refusal, "a second session",
				 "a connection to the agent is bound to one session");
		return AGENT_REFUSES;
	}
	if (!judge_host(rules, hash, refusal))
		return AGENT_REFUSES;
	connection->refused = before;
	memcpy(connection->session, session.bytes, session.length);
	connection->session_length = session.length;
	memcpy(connection->host, hash, SHA256_BYTES);
	return AGENT_BINDS;
}

bool agent_bound(const struct agent_rules *rules, struct agent_connection *connection,
		 const uint8_t *bytes, size_t length, struct refused *ret_refusal)
{
	connection->bound = length == 1 && bytes[0] == AGENT_SUCCESS;
	if (connection->bound)
		return true;
	connection->refused = true;
	const struct agent_host_key *host = find_host(rules, connection->host);
	return refuse_signature(ret_refusal, host && host->name[0] ? host->name : "a session",
				"your agent did not verify the session; it has to know "
				"session-bind@openssh.com, as that of OpenSSH 8.9");
}

static bool is_algorithm(const struct wire_string *name)
{
	for (size_t i = 0; i < name->length; i++)
		if (name->bytes[i] <= ' ' || name->bytes[i] > '~')
			return false;
	return name->length > 0 && name->length <= NAME_MAX_BYTES;
}

struct login {
	struct wire_string session, user, key, host; // host: only with publickey-hostbound
};

// Reads a session id and the request of RFC 4252, section 7. publickey-hostbound-v00 adds the
// host's key.
static bool read_login(const struct wire_string *data, struct login *ret_login)
{
	struct wire wire = { data->bytes, data->length };
	struct wire_string service, method, algorithm;
	struct login login = { 0 };
	uint8_t type, has_signature;
	if (!wire_string(&wire, &login.session) || !wire_byte(&wire, &type) ||
	    type != USERAUTH_REQUEST || !wire_string(&wire, &login.user) ||
	    !wire_string(&wire, &service) || !wire_is(&service, "ssh-connection") ||
	    !wire_string(&wire, &method) || !wire_byte(&wire, &has_signature) ||
	    has_signature != 1 || !wire_string(&wire, &algorithm) || !is_algorithm(&algorithm) ||
	    !wire_string(&wire, &login.key))
		return false;
	bool hostbound = wire_is(&method, "publickey-hostbound-v00@openssh.com");
	if (!hostbound && !wire_is(&method, "publickey"))
		return false;
	if (hostbound && (!wire_string(&wire, &login.host) || login.host.length == 0))
		return false;
	if (wire.left != 0 || login.session.length == 0 || login.session.length > AGENT_SESSION_MAX)
		return false;
	*ret_login = login;
	return true;
}

static bool judge_login(const struct agent_connection *connection, const struct login *login,
			struct refused *refusal)
{
	uint8_t hash[SHA256_BYTES] = { 0 };
	if (login->host.bytes)
		hash_of(&login->host, hash);
	if (connection->refused) {
		*refusal = (struct refused){ 0 };
		return false;
	}
	if (!connection->bound)
		return refuse_signature(refusal, "a session that is not bound",
					"the program does not say to which host it logs in; use "
					"ssh of OpenSSH 8.9 or later");
	if (!is_bound_to(connection, &login->session))
		return refuse_signature(refusal, "another session",
					"the agent signs for the session that is bound alone");
	if (login->host.bytes && memcmp(hash, connection->host, SHA256_BYTES) != 0)
		return refuse_signature(refusal, "another host",
					"the request names another host key than its session's");
	return true;
}

// Reads the data that ssh-keygen -Y sign (also git's) lets the agent sign (OpenSSH's
// PROTOCOL.sshsig).
static bool read_sshsig(const struct wire_string *data, struct wire_string *ret_namespace)
{
	static const char magic[] = "SSHSIG";
	struct wire wire = { data->bytes, data->length };
	struct wire_string reserved, algorithm, hash;
	if (wire.left < strlen(magic) || memcmp(wire.at, magic, strlen(magic)) != 0)
		return false;
	wire.at += strlen(magic);
	wire.left -= strlen(magic);
	return wire_string(&wire, ret_namespace) && wire_string(&wire, &reserved) &&
	       wire_string(&wire, &algorithm) && wire_string(&wire, &hash) && wire.left == 0 &&
	       reserved.length == 0 &&
	       ((wire_is(&algorithm, "sha256") && hash.length == 32) ||
		(wire_is(&algorithm, "sha512") && hash.length == 64));
}

static bool is_word(const struct wire_string *string)
{
	for (size_t i = 0; i < string->length; i++)
		if (!isalnum(string->bytes[i]) && string->bytes[i] != '_')
			return false;
	return string->length > 0 && string->length < AGENT_NAME;
}

static bool judge_namespace(const struct agent_rules *rules, const struct wire_string *string,
			    struct refused *refusal)
{
	char word[AGENT_NAME];
	for (unsigned i = 0; i < rules->namespace_count; i++)
		if (wire_is(string, rules->namespaces[i]))
			return true;
	if (!is_word(string))
		return refuse_signature(refusal, "a file", "its namespace is not listed");
	snprintf(word, sizeof(word), "%.*s", (int)string->length, (const char *)string->bytes);
	return refuse_unlisted(refusal, str_equal(word, "git") ? "a commit or tag" : word,
			       "the agent signs no files and commits", REFUSED_AGENT_SIGN, word);
}

static bool judge_sign(const struct agent_rules *rules, const struct agent_connection *connection,
		       struct wire wire, struct refused *refusal)
{
	struct wire_string key, data, name;
	struct login login;
	uint32_t flags;
	uint8_t hash[SHA256_BYTES];
	char shown[AGENT_FINGERPRINT];
	if (!wire_string(&wire, &key) || !wire_string(&wire, &data) ||
	    !wire_number(&wire, &flags) || wire.left != 0 || (flags & ~(uint32_t)FLAGS_KNOWN))
		return refuse_signature(refusal, "a malformed request",
					"the agent's protocol has no such form");
	if (!is_listed(rules, &key)) {
		hash_of(&key, hash);
		agent_fingerprint(hash, shown);
		return refuse_unlisted(refusal, shown, "this key is not listed", REFUSED_AGENT_KEY,
				       shown);
	}
	if (read_sshsig(&data, &name))
		return judge_namespace(rules, &name, refusal);
	if (!read_login(&data, &login) || !wire_same(&login.key, &key))
		return refuse_signature(
			refusal, "other data",
			"it is not a login by SSH, and the agent signs nothing else");
	return judge_login(connection, &login, refusal);
}

static const char *message_word(uint8_t type)
{
	static const struct {
		uint8_t type;
		const char *words;
	} rows[] = {
		{ 17, "adding a key to your ssh-agent" },
		{ 25, "adding a key to your ssh-agent" },
		{ 18, "removing a key from your ssh-agent" },
		{ 19, "removing all keys from your ssh-agent" },
		{ 20, "adding a smartcard to your ssh-agent" },
		{ 26, "adding a smartcard to your ssh-agent" },
		{ 21, "removing a smartcard from your ssh-agent" },
		{ 22, "locking your ssh-agent" },
		{ 23, "unlocking your ssh-agent" },
		{ AGENT_EXTENSION, "an extension of your ssh-agent" },
	};
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].type == type)
			return rows[i].words;
	return "an unknown message to your ssh-agent";
}

static enum agent_verdict refuse_message(uint8_t type, struct refused *refusal)
{
	refused_set(refusal, REFUSED_AGENT, message_word(type),
		    "a box can list keys and log in; do it outside");
	return AGENT_REFUSES;
}

enum agent_verdict agent_judge(const struct agent_rules *rules, struct agent_connection *connection,
			       const uint8_t *bytes, size_t length, struct refused *ret_refusal)
{
	struct wire wire = { bytes, length };
	struct wire_string name;
	uint8_t type = 0;
	*ret_refusal = (struct refused){ 0 };
	if (!wire_byte(&wire, &type))
		return refuse_message(0, ret_refusal);
	if (type == AGENT_REQUEST_IDENTITIES && wire.left == 0)
		return AGENT_LISTS;
	if (type == AGENT_SIGN_REQUEST)
		return judge_sign(rules, connection, wire, ret_refusal) ? AGENT_SIGNS
									: AGENT_REFUSES;
	if (type == AGENT_EXTENSION && wire_string(&wire, &name) &&
	    wire_is(&name, "session-bind@openssh.com"))
		return judge_bind(rules, connection, wire, ret_refusal);
	return refuse_message(type, ret_refusal);
}

size_t agent_list(const struct agent_rules *rules, uint8_t *bytes, size_t length)
{
	struct wire wire = { bytes, length };
	struct wire_string key, comment;
	uint32_t count = 0, kept = 0;
	uint8_t type;
	size_t used = 5;
	if (!wire_byte(&wire, &type) || type != AGENT_IDENTITIES_ANSWER ||
	    !wire_number(&wire, &count))
		return 0;
	for (uint32_t i = 0; i < count; i++) {
		const uint8_t *begin = wire.at;
		if (!wire_string(&wire, &key) || !wire_string(&wire, &comment))
			return 0;
		if (!is_listed(rules, &key))
			continue;
		size_t size = (size_t)(wire.at - begin);
		memmove(bytes + used, begin, size);
		used += size;
		kept++;
	}
	if (wire.left != 0)
		return 0;
	wire_put_number(bytes + 1, kept);
	return used;
}

bool agent_is_signature(const uint8_t *bytes, size_t length)
{
	struct wire wire = { bytes, length };
	struct wire_string signature;
	uint8_t type;
	return wire_byte(&wire, &type) && type == AGENT_SIGN_RESPONSE &&
	       wire_string(&wire, &signature) && wire.left == 0;
}
