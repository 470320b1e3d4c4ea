// A socket in the box for SSH_AUTH_SOCK, behind which the caller's ssh-agent lists the keys of
// --agent-key alone and signs logins to the hosts of --agent-host alone.
//
// The room sshagent owns the filter before the caller's ssh-agent. Uses: base apart net/setup nouns
// outside report text view/paths. Begin with sshagent.h.
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

// Once the profile is complete. `profile` gets the socket. -1 with the error said.
int sshagent_plan(struct plan *plan, struct profile *profile, char *const *environment);
// Once the view is planned: refuses files that the box may write.
int sshagent_files_host(const struct plan *plan, struct run *run);

int sshagent_host(const struct plan *plan, struct run *run);
int sshagent_undo(const struct plan *plan, struct run *run);

// Starts the two processes of serve.h. Earlier clients wait for them in the socket's queue.
int sshagent_begin(const struct plan *plan, struct run *run);

// Changes until the undo. NULL: there is no socket.
const struct refused_table *sshagent_refused(const struct run *run);

// What a box may ask of its caller's ssh-agent. Pure: bytes to a verdict, no memory. Messages:
// draft-ietf-sshm-ssh-agent; session-bind@openssh.com and the two login forms: PROTOCOL and
// PROTOCOL.agent of OpenSSH.

enum {
	AGENT_KEYS_MAX = 64,
	AGENT_HOST_KEYS_MAX = 4096,
	AGENT_NAMESPACES_MAX = 8,
	AGENT_SESSION_MAX = 128, // bytes of a session id, as OpenSSH's AGENT_MAX_SID_LEN
	AGENT_NAME = 128,
	AGENT_REQUEST_MAX = 64 * 1024, // bytes of a request, and of an answer
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

// A key is its SHA-256, as ssh-keygen -l shows it.
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

// One connection, with the session that the agent has verified.
struct agent_connection {
	bool bound, refused; // refused: a bind was refused, and reported
	uint8_t session[AGENT_SESSION_MAX];
	size_t session_length;
	uint8_t host[SHA256_BYTES];
};

enum agent_verdict {
	AGENT_REFUSES,
	AGENT_LISTS, // passed on, as the next two; agent_list() filters the answer
	AGENT_SIGNS,
	AGENT_BINDS, // agent_bound() reads the answer
	AGENT_KNOWS, // bound already: success at once
};

// A request without its length. After AGENT_BINDS `connection` has the pending bind; after
// AGENT_REFUSES `*ret_refusal` has the reason (REFUSED_NOTHING: reported before).
enum agent_verdict agent_judge(const struct agent_rules *rules, struct agent_connection *connection,
			       const uint8_t *bytes, size_t length, struct refused *ret_refusal);

// The agent's answer to a bind. False: refused, see `*ret_refusal`.
bool agent_bound(const struct agent_rules *rules, struct agent_connection *connection,
		 const uint8_t *bytes, size_t length, struct refused *ret_refusal);

// Removes unlisted keys from an IDENTITIES_ANSWER in place. Returns the new length; 0: not such an
// answer.
size_t agent_list(const struct agent_rules *rules, uint8_t *bytes, size_t length);

// Nothing but a signature.
bool agent_is_signature(const uint8_t *bytes, size_t length);

// "SHA256:..." as ssh-keygen -l writes it.
enum { AGENT_FINGERPRINT = 52 };

// The host's key, new or known; NULL: no room.
struct agent_host_key *agent_host_key(struct agent_rules *rules, const uint8_t hash[SHA256_BYTES]);

// Reading of SSH's binary forms (RFC 4251, section 5) from hostile bytes. Pure.

// The rest of a message. Each read takes bytes from its front, or fails and takes none.
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

// known_hosts (sshd(8)) and public key files, as text of the caller's. Pure.

enum { KNOWN_HOSTS_MAX = 32 };

// A host that the agent may log in to, as known_hosts writes it: "name" or "[name]:port".
struct known_host {
	char name[AGENT_NAME];
	unsigned keys;
	bool by_authority; // a @cert-authority line matches, which is not supported
};

// HOST, HOST:PORT, ADDRESS or [ADDRESS]:PORT; default port 22.
bool known_host_parse(const char *text, struct known_host *ret_host);

// Adds the keys of a known_hosts file. Returns the number of a fatal line (a malformed @revoked, or
// too many keys), or 0. Skips other malformed lines, as ssh does.
unsigned known_hosts_read(struct agent_rules *rules, struct known_host *hosts, unsigned host_count,
			  const char *text, size_t length);

// The hash of the key of a file NAME.pub: one line "TYPE BASE64 [COMMENT]".
bool known_public_key(const char *text, size_t length, uint8_t ret_hash[SHA256_BYTES]);

bool known_fingerprint(const char *text, uint8_t ret_hash[SHA256_BYTES]);

// Two locked processes between a box and its caller's agent. The filter reads what the box writes,
// and can open and connect to nothing. The connector connects to its one socket, and reads single
// bytes.

enum { AGENT_CONNECTIONS_MAX = 16 };

// Descriptors: 0 the listening socket, 1 to serve_connector(), 3 an epoll instance. Returns when
// descriptor 1 is closed. `memory`: serve_bytes() zeroes.
size_t serve_bytes(void);
void serve_filter(struct agent_record *record, void *memory);
// Descriptors: 0 the agent's socket (O_PATH), 1 to the filter.
void serve_connector(void);
// To the agent's socket (O_PATH): the connection, or -1.
int agent_connect(int agent, unsigned seconds);

// The rules of a run. Files are read and the agent is asked outside, before the command exists.

// The agent's socket is `agent` (O_PATH). -1 with the error said.
int rules_read(const struct plan *plan, int agent, struct agent_rules *rules);

// Shared by both processes and the supervisor: rules, which the processes only read, and refusals.
struct agent_record {
	struct agent_rules rules;
	struct refused_table refused;
};
