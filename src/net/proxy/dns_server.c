// Owns the answers to the box's DNS questions. Nothing is asked upstream: a look-up carries
// nothing out.
#include "net/proxy/dns_server.h"

#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/base.h"
#include "net/parse/parse.h"
#include "net/proxy/flow.h"
#include "net/proxy/conn_record.h"
#include "net/proxy/worker_state.h"
#include "net/rules/rules.h"
#include "net/setup/netns.h"

enum { DATAGRAMS_A_TURN = 64, MESSAGE_MAX = 4096 };

// A stub resolver tries "name.search.domain" first: a yes to that would hide the name itself.
static bool is_search_attempt(const struct worker *worker, const char *name)
{
	for (unsigned i = 0; i < worker->resolv.search_count; i++)
		if (host_within(name, worker->resolv.search[i]) &&
		    !str_equal(name, worker->resolv.search[i]))
			return true;
	return false;
}

static const struct address own_loopback = { { [10] = 0xff, 0xff, 127, 0, 0, 1 } };

static size_t respond(struct worker *worker, const uint8_t *message, size_t length, uint8_t *answer)
{
	struct dns_question question;
	enum dns_code code;
	struct address address;
	if (!dns_parse(message, length, &question, &code))
		return 0;
	if (code != DNS_OK)
		return dns_answer(message, &question, code, NULL, answer);
	if (!question.valid || question.class != DNS_CLASS_IN || host_within(question.name, "arpa"))
		return dns_answer(message, &question, DNS_NO_NAME, NULL, answer);
	// The box's own, as its /etc/hosts says, which it lacks where the host has none.
	if (host_within(question.name, "localhost"))
		return dns_answer(message, &question, DNS_OK,
				  question.type == DNS_TYPE_A ? &own_loopback : NULL, answer);
	const struct rules *rules = rules_current(worker->shared);
	bool known = rules_know(rules, question.name);
	if (!known && (rules->strict || is_search_attempt(worker, question.name))) {
		struct conn_record asked = { .verdict = VERDICT_DENIED,
					     .why = "not in the allowlist",
					     .fix = FIX_RULE };
		memcpy(asked.host.name, question.name, sizeof(asked.host.name));
		if (rules->strict)
			record_refused(worker, &asked);
		return dns_answer(message, &question, DNS_NO_NAME, NULL, answer);
	}
	// No AAAA and no HTTPS record: all clients then use IPv4, and TLS without encrypted names.
	if (question.type != DNS_TYPE_A)
		return dns_answer(message, &question, DNS_OK, NULL, answer);
	if (!names_address(worker->shared, question.name, known, &address))
		return dns_answer(message, &question, DNS_FAILED, NULL, answer);
	return dns_answer(message, &question, DNS_OK, &address, answer);
}

// The answer leaves from the address that was asked: its description travels back as it came.
void dns_server_datagrams(struct worker *worker, int fd)
{
	for (int i = 0; i < DATAGRAMS_A_TURN; i++) {
		uint8_t message[MESSAGE_MAX], answer[DNS_ANSWER_MAX];
		union {
			struct cmsghdr header;
			char space[256];
		} control;
		struct sockaddr_storage from;
		struct iovec part = { message, sizeof(message) };
		struct msghdr header = { .msg_name = &from,
					 .msg_namelen = sizeof(from),
					 .msg_iov = &part,
					 .msg_iovlen = 1,
					 .msg_control = &control,
					 .msg_controllen = sizeof(control) };
		ssize_t got = recvmsg(fd, &header, MSG_DONTWAIT);
		if (got < 0)
			return;
		size_t length = respond(worker, message, (size_t)got, answer);
		part = (struct iovec){ answer, length };
		struct cmsghdr *to = CMSG_FIRSTHDR(&header);
		if (to && to->cmsg_level == IPPROTO_IP && to->cmsg_type == IP_PKTINFO)
			((struct in_pktinfo *)(void *)CMSG_DATA(to))->ipi_spec_dst =
				((struct in_pktinfo *)(void *)CMSG_DATA(to))->ipi_addr;
		if (length > 0)
			sendmsg(fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
	}
}

enum turn dns_server_stream(struct worker *worker, struct conn *conn)
{
	struct flow *in = &conn->flow[CLIENT];
	uint8_t answer[DNS_ANSWER_MAX];
	const uint8_t *bytes = (const uint8_t *)conn->buffer[CLIENT] + in->start;
	size_t there = in->end - in->start,
	       length = there >= 2 ? (size_t)(bytes[0] << 8 | bytes[1]) : 0;
	if (there < 2 || there < length + 2)
		return in->ended ? TURN_CLOSE : TURN_WAIT;
	size_t used = length > MESSAGE_MAX ? 0 : respond(worker, bytes + 2, length, answer);
	if (used == 0)
		return TURN_CLOSE;
	const uint8_t head[2] = { (uint8_t)(used >> 8), (uint8_t)used };
	flow_skip(in, (uint32_t)length + 2);
	flow_say(conn, head, sizeof(head));
	flow_say(conn, answer, used);
	return TURN_MOVED;
}
