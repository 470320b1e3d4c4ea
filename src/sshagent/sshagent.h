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

// Of the plan, once the profile is whole: what is asked for, and from which files it is read.
// `profile` gets the socket. -1 with the error said.
int sshagent_plan(struct plan *plan, struct profile *profile, char *const *environment);
// A step, once the view is planned: no file that decides is where the box may write.
int sshagent_files_host(const struct plan *plan, struct run *run);

int sshagent_host(const struct plan *plan, struct run *run);
int sshagent_undo(const struct plan *plan, struct run *run);

// Starts the two processes of serve.h. Who connected before waits for them.
int sshagent_begin(const struct plan *plan, struct run *run);

// The refusals, which change until the undo. NULL: no door.
const struct refused_table *sshagent_refused(const struct run *run);

// What a box may ask of its caller's ssh-agent. Pure: bytes to a verdict, no I/O, no memory taken.
// Messages: draft-ietf-sshm-ssh-agent; session-bind@openssh.com and the two ways to log in:
// PROTOCOL and PROTOCOL.agent of OpenSSH.

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

// One connection: the session that the caller's agent has verified for it.
struct agent_connection {
	bool bound, refused; // refused: a bind was, and that was reported
	uint8_t session[AGENT_SESSION_MAX];
	size_t session_length;
	uint8_t host[SHA256_BYTES];
};

enum agent_verdict {
	AGENT_REFUSES,
	AGENT_LISTS, // handed on, as are the next two; the answer goes through agent_list()
	AGENT_SIGNS,
	AGENT_BINDS, // the answer goes through agent_bound()
	AGENT_KNOWS, // of a bind that holds already: success, and nothing is handed on
};

// A request without its length. After AGENT_BINDS `connection` holds what will be bound, and is not
// bound; after AGENT_REFUSES `*ret_refusal` says why (REFUSED_NOTHING: it was reported before).
enum agent_verdict agent_judge(const struct agent_rules *rules, struct agent_connection *connection,
			       const uint8_t *bytes, size_t length, struct refused *ret_refusal);

// The agent's answer to a bind. False: it does not hold, and `*ret_refusal` says why.
bool agent_bound(const struct agent_rules *rules, struct agent_connection *connection,
		 const uint8_t *bytes, size_t length, struct refused *ret_refusal);

// Takes the keys out of an IDENTITIES_ANSWER that are not listed, in place; the new length, or 0
// when it is no such answer.
size_t agent_list(const struct agent_rules *rules, uint8_t *bytes, size_t length);

// Whether it is a signature, and nothing else.
bool agent_is_signature(const uint8_t *bytes, size_t length);

// "SHA256:..." as ssh-keygen -l writes it.
enum { AGENT_FINGERPRINT = 52 };

// A fresh key among those of hosts, or the one that is there; NULL when none fits.
struct agent_host_key *agent_host_key(struct agent_rules *rules, const uint8_t hash[SHA256_BYTES]);

// Reading of SSH's binary forms (RFC 4251, section 5) from hostile bytes. Pure.

// The rest of a message. Each read takes from its beginning, or returns false and takes
// nothing.
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
	bool by_authority; // a line @cert-authority matches it, which is not read
};

// HOST, HOST:PORT, ADDRESS or [ADDRESS]:PORT; port 22 without one. False: it is none of these.
bool known_host_parse(const char *text, struct known_host *ret_host);

// Adds the keys of a known_hosts file to the rules. The number of the line that cannot be taken: a
// line @revoked that is malformed, or one with which there are too many keys; 0: none. Other lines
// that are malformed are left out, as ssh does.
unsigned known_hosts_read(struct agent_rules *rules, struct known_host *hosts, unsigned host_count,
			  const char *text, size_t length);

// The hash of the key of a file NAME.pub: one line "TYPE BASE64 [COMMENT]".
bool known_public_key(const char *text, size_t length, uint8_t ret_hash[SHA256_BYTES]);

bool known_fingerprint(const char *text, uint8_t ret_hash[SHA256_BYTES]);

// The locked process between a box and its caller's agent, and the one that connects for it: the
// first reads what the box writes, and can open and connect to nothing; the second connects to the
// one socket that it has, and reads single bytes.

enum { AGENT_CONNECTIONS_MAX = 16 };

// Descriptors: 0 the listening socket, 1 the way to serve_connector(), 3 an epoll instance. Returns
// when the way is closed. `memory`: serve_bytes() zeroes, for the connections.
size_t serve_bytes(void);
void serve_filter(struct agent_record *record, void *memory);
// Descriptors: 0 the agent's socket (O_PATH), 1 the way to the filter.
void serve_connector(void);
// To the agent's socket (O_PATH): the connection, or -1.
int agent_connect(int agent, unsigned seconds);

// The rules of a run, from what the plan names: files are read and the agent is asked outside,
// before the box has a process of the command.

// The agent's socket is `agent` (O_PATH). -1 with the error said.
int rules_read(const struct plan *plan, int agent, struct agent_rules *rules);

// What the two processes and the supervisor share: the rules, which they only read, and the
// refusals.
struct agent_record {
	struct agent_rules rules;
	struct refused_table refused;
};
