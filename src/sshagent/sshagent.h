// The room sshagent owns a filter before the caller's ssh-agent, at SSH_AUTH_SOCK in the box. It
// lists only the keys of --agent-key, and signs only logins to the hosts of --agent-host, and data
// of --agent-sign. Uses: base, apart, net/setup, nouns, outside, report, text, view/paths. Begin
// with sshagent.h.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "profile.h"
#include "report/findings.h"
#include "text/sha.h"

struct agent_record;
struct plan;
struct run;

// Called when the profile is complete. Adds the socket to `profile`.
int sshagent_plan(struct plan *plan, struct profile *profile, char *const *environment);
// Called when the view is planned. Refuses key and known_hosts files that the box may write.
int sshagent_files_host(const struct plan *plan, struct run *run);

int sshagent_host(const struct plan *plan, struct run *run);
int sshagent_undo(const struct plan *plan, struct run *run);

int sshagent_begin(const struct plan *plan, struct run *run);

// Returns the refusals so far, or NULL without a socket.
const struct refused_table *sshagent_refused(const struct run *run);

// Judges requests to the agent. Messages: draft-ietf-sshm-ssh-agent. session-bind@openssh.com and
// the two forms of a login: PROTOCOL and PROTOCOL.agent of OpenSSH.

enum {
	AGENT_KEYS_MAX = 64,
	AGENT_HOST_KEYS_MAX = 4096,
	AGENT_NAMESPACES_MAX = 8,
	AGENT_SESSION_MAX = 128, // bytes of a session id, as OpenSSH's AGENT_MAX_SID_LEN
	AGENT_NAME = 128,
	AGENT_REQUEST_MAX = 64 * 1024, // bytes, as in the next line
	AGENT_ANSWER_MAX = 256 * 1024,
};

enum agent_message {
	AGENT_FAILURE = 5,
	AGENT_SUCCESS = 6,
	AGENT_REQUEST_IDENTITIES = 11,
	AGENT_IDENTITIES_ANSWER = 12,
	AGENT_SIGN_REQUEST = 13,
	AGENT_SIGN_RESPONSE = 14,
	AGENT_EXTENSION = 27,
	AGENT_EXTENSION_FAILURE = 28,
};

// Keys are compared by SHA-256, as ssh-keygen -l shows it.
struct agent_host_key {
	uint8_t hash[SHA256_BYTES];
	bool allowed, revoked;
	char name[AGENT_NAME];
};

struct agent_rules {
	uint8_t keys[AGENT_KEYS_MAX][SHA256_BYTES];
	unsigned key_count;
	struct agent_host_key hosts[AGENT_HOST_KEYS_MAX];
	unsigned host_count;
	char namespaces[AGENT_NAMESPACES_MAX][AGENT_NAME];
	unsigned namespace_count;
};

// A connection of the box, with the session that the agent has verified.
struct agent_connection {
	bool bound, refused; // refused: a bind was refused, and reported
	uint8_t session[AGENT_SESSION_MAX];
	size_t session_length;
	uint8_t host[SHA256_BYTES];
};

enum agent_verdict {
	AGENT_REFUSES,
	AGENT_LISTS, // goes to the agent; agent_list() filters the answer
	AGENT_SIGNS,
	AGENT_BINDS, // goes to the agent; agent_bound() reads the answer
	AGENT_KNOWS, // is bound already: gets success at once
};

// Judges a request, given without its length. AGENT_BINDS: `connection` has the session to bind.
// AGENT_REFUSES: *ret_refusal has the reason, or REFUSED_NOTHING if it was reported before.
enum agent_verdict agent_judge(const struct agent_rules *rules, struct agent_connection *connection,
			       const uint8_t *bytes, size_t length, struct refused *ret_refusal);

// Reads the agent's answer to a bind. Returns false if the bind is refused.
bool agent_bound(const struct agent_rules *rules, struct agent_connection *connection,
		 const uint8_t *bytes, size_t length, struct refused *ret_refusal);

// Removes unlisted keys from an IDENTITIES_ANSWER in place. Returns the new length, or 0 for
// another message.
size_t agent_list(const struct agent_rules *rules, uint8_t *bytes, size_t length);

// True for a signature and no more bytes.
bool agent_is_signature(const uint8_t *bytes, size_t length);

// bytes of "SHA256:..." as ssh-keygen -l writes it
enum { AGENT_FINGERPRINT = 52 };

// Returns the entry of a host key, a new one if needed, or NULL without room.
struct agent_host_key *agent_host_key(struct agent_rules *rules, const uint8_t hash[SHA256_BYTES]);

// Readers of SSH's binary forms (RFC 4251, section 5).

// The rest of a message. A read takes bytes from its front, or fails and takes none.
struct wire {
	const uint8_t *at;
	size_t left;
};

struct wire_string {
	const uint8_t *bytes;
	size_t length;
};

bool wire_byte(struct wire *wire, uint8_t *ret_byte);
bool wire_number(struct wire *wire, uint32_t *ret_number);
bool wire_string(struct wire *wire, struct wire_string *ret_string);

bool wire_is(const struct wire_string *string, const char *text);
bool wire_same(const struct wire_string *one, const struct wire_string *other);

void wire_put_number(uint8_t bytes[4], uint32_t number);

enum { KNOWN_HOSTS_MAX = 32 };

// A host that the agent may log in to, as known_hosts writes it: "name" or "[name]:port".
struct known_host {
	char name[AGENT_NAME];
	unsigned keys;
	bool by_authority; // a @cert-authority line matches, which is not supported
};

// Reads HOST, HOST:PORT, ADDRESS or [ADDRESS]:PORT. The default port is 22.
bool known_host_parse(const char *text, struct known_host *ret_host);

// Adds the keys of a known_hosts file. Returns the number of a fatal line (a malformed @revoked, or
// too many keys), or 0. Skips other malformed lines, as ssh does.
unsigned known_hosts_read(struct agent_rules *rules, struct known_host *hosts, unsigned host_count,
			  const char *text, size_t length);

// Hashes the key of a file NAME.pub, one line "TYPE BASE64 [COMMENT]".
bool known_public_key(const char *text, size_t length, uint8_t ret_hash[SHA256_BYTES]);

bool known_fingerprint(const char *text, uint8_t ret_hash[SHA256_BYTES]);

// Two confined processes between a box and its caller's agent. The filter reads the box's bytes,
// and can open or connect to nothing. The connector connects to one socket, and reads only single
// bytes.

enum { AGENT_CONNECTIONS_MAX = 16 };

// Descriptors: 0 the listening socket, 1 to serve_connector(), 3 an epoll instance. Returns on an
// error. `memory` has serve_bytes() zero bytes.
size_t serve_bytes(void);
void serve_filter(struct agent_record *record, void *memory);
// Descriptors: 0 the agent's socket (O_PATH), 1 to the filter.
void serve_connector(void);
// Connects to the agent's socket, given as O_PATH.
int agent_connect(int agent, unsigned seconds);

// Reads files, and asks the agent for its keys. `agent`: its socket (O_PATH).
int rules_read(const struct plan *plan, int agent, struct agent_rules *rules);

// Memory that both processes and the supervisor share. The processes only read the rules.
struct agent_record {
	struct agent_rules rules;
	struct refused_table refused;
};
