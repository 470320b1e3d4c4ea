// Owns the answers to the box's DNS questions. Looks up only names that a rule allows: other names
// could carry data out.
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

enum { DATAGRAMS_A_TURN = 64, MESSAGE_MAX = 4096, PATIENCE_MILLISECONDS = 2000 };

static const struct address own_loopback = { { [10] = 0xff, 0xff, 127, 0, 0, 1 } };

// Records a name under a wildcard rule: a box can put data into it.
static void note(struct worker *worker, const struct rule *rule, const struct host *host)
{
	struct conn_record asked = { .host = *host,
				     .verdict = VERDICT_ALLOWED,
				     .why = "its name was asked for" };
	if (rule->destination.kind == DESTINATION_NAME)
		return;
	memcpy(asked.rule, rule->text, sizeof(asked.rule));
	record_refused(worker, &asked);
}

static void say_missing(struct worker *worker, const struct host *host)
{
	record_refused(worker, &(struct conn_record){ .host = *host,
						      .verdict = VERDICT_FAILED,
						      .why = "the name does not resolve outside" });
}

// Returns false while the answer is not known. A name that takes too long counts as existing: its
// connection then fails. `since` 0: looks up nothing.
static bool look_for(struct worker *worker, const struct rule *rule, const struct host *host,
		     bool absolute, int64_t since, enum existence *ret)
{
	struct lookup *lookup = NULL;
	*ret = NAME_EXISTS;
	if (since && !worker->has_upstream && worker->lookups_pending <= LOOKUPS_MAX / 2)
		lookup = lookup_get(worker, host->name, absolute);
	if (!lookup)
		return true;
	if (lookup->state == LOOKUP_FAILED)
		*ret = lookup->existence;
	if (!lookup->noted && (lookup->asked || !lookup_done(lookup)))
		note(worker, rule, host);
	lookup->noted = true;
	return lookup_done(lookup) || worker->now - since >= PATIENCE_MILLISECONDS;
}

// A name that is itself allowed is missing if no allowed form (search list) of it exists.
static bool look_for_all(struct worker *worker, const struct host *called, int64_t since,
			 const struct rule **ret_rule, enum existence *ret)
{
	const struct rules *rules = rules_current(worker->shared);
	struct host host = *called;
	const struct rule *rule;
	unsigned form = 0;
	const struct rule *itself = NULL;
	*ret_rule = NULL;
	*ret = NAME_MISSING;
	for (; (rule = rules_know(rules, &worker->resolv, &host, &form)); form++, host = *called) {
		*ret_rule = rule;
		itself = form == 0 ? rule : itself;
		bool done = look_for(worker, rule, &host, form > 0, since, ret);
		if (!done || *ret != NAME_MISSING)
			return done;
	}
	*ret_rule = itself;
	return true;
}

static size_t respond(struct worker *worker, const uint8_t *message, size_t length, int64_t since,
		      uint8_t *answer, bool *ret_later)
{
	struct dns_question question;
	enum dns_code code;
	enum existence existence;
	struct address address;
	*ret_later = false;
	if (!dns_parse(message, length, &question, &code))
		return 0;
	if (code != DNS_OK)
		return dns_answer(message, &question, code, NULL, answer);
	if (!question.valid || question.class != DNS_CLASS_IN || host_within(question.name, "arpa"))
		return dns_answer(message, &question, DNS_NO_NAME, NULL, answer);
	// Answers this name itself: a box has no /etc/hosts if the host has none.
	if (host_within(question.name, "localhost"))
		return dns_answer(message, &question, DNS_OK,
				  question.type == DNS_TYPE_A ? &own_loopback : NULL, answer);
	const struct rules *rules = rules_current(worker->shared);
	struct conn_record asked = { .verdict = VERDICT_DENIED,
				     .why = "not in the allowlist",
				     .fix = FIX_RULE };
	memcpy(asked.host.name, question.name, sizeof(asked.host.name));
	const struct rule *known;
	*ret_later = !look_for_all(worker, &asked.host, since, &known, &existence);
	if (*ret_later)
		return 0;
	if (!known && rules->strict) {
		record_refused(worker, &asked);
		return dns_answer(message, &question, DNS_NO_NAME, NULL, answer);
	}
	if (known && existence == NAME_MISSING) {
		if (known->destination.kind == DESTINATION_NAME && question.type == DNS_TYPE_A)
			say_missing(worker, &asked.host);
		return dns_answer(message, &question, DNS_NO_NAME, NULL, answer);
	}
	// Without AAAA and HTTPS records clients use IPv4, and TLS without encrypted names.
	if (question.type != DNS_TYPE_A || (known && existence == NAME_EMPTY))
		return dns_answer(message, &question, DNS_OK, NULL, answer);
	if (!names_address(worker->shared, question.name, known, &address))
		return dns_answer(message, &question, DNS_FAILED, NULL, answer);
	return dns_answer(message, &question, DNS_OK, &address, answer);
}

static struct msghdr header_of(struct waiting *question, struct iovec *part)
{
	return (struct msghdr){ .msg_name = &question->from,
				.msg_namelen = question->from_size,
				.msg_iov = part,
				.msg_iovlen = 1,
				.msg_control = question->control,
				.msg_controllen = question->control_size };
}

// Answers from the address that the question was sent to. Returns false if the answer must wait.
static bool answer_one(struct worker *worker, int fd, struct waiting *question)
{
	uint8_t answer[DNS_ANSWER_MAX];
	bool later;
	struct iovec part = { answer, respond(worker, question->message, question->length,
					      question->since, answer, &later) };
	struct msghdr header = header_of(question, &part);
	struct cmsghdr *to = CMSG_FIRSTHDR(&header);
	if (later)
		return false;
	if (to && to->cmsg_level == IPPROTO_IP && to->cmsg_type == IP_PKTINFO)
		((struct in_pktinfo *)(void *)CMSG_DATA(to))->ipi_spec_dst =
			((struct in_pktinfo *)(void *)CMSG_DATA(to))->ipi_addr;
	if (part.iov_len > 0)
		sendmsg(fd, &header, MSG_DONTWAIT | MSG_NOSIGNAL);
	return true;
}

void dns_server_datagrams(struct worker *worker, int fd)
{
	for (int i = 0; i < DATAGRAMS_A_TURN; i++) {
		struct waiting question = { .since = worker->now,
					    .from_size = sizeof(question.from),
					    .control_size = sizeof(question.control) };
		struct iovec part = { question.message, sizeof(question.message) };
		struct msghdr header = header_of(&question, &part);
		ssize_t got = recvmsg(fd, &header, MSG_DONTWAIT);
		if (got < 0)
			return;
		question.length = (size_t)got;
		question.from_size = header.msg_namelen;
		question.control_size = header.msg_controllen;
		unsigned place = 0;
		while (place < QUESTIONS_MAX && worker->questions[place].since)
			place++;
		if (place == QUESTIONS_MAX)
			question.since = 0;
		if (answer_one(worker, fd, &question) || place == QUESTIONS_MAX)
			continue;
		worker->questions[place] = question;
		worker->question_count++;
	}
}

void dns_server_waiting(struct worker *worker)
{
	worker->questions_due = false;
	for (unsigned i = 0; i < QUESTIONS_MAX && worker->question_count; i++) {
		struct waiting *question = &worker->questions[i];
		if (!question->since ||
		    !answer_one(worker, worker->listeners[LISTENER_DNS], question))
			continue;
		question->since = 0;
		worker->question_count--;
	}
}

enum turn dns_server_stream(struct worker *worker, struct conn *conn)
{
	struct flow *in = &conn->flow[CLIENT];
	uint8_t answer[DNS_ANSWER_MAX];
	const uint8_t *bytes = (const uint8_t *)conn->bytes[CLIENT] + in->start;
	size_t there = in->end - in->start,
	       length = there >= 2 ? (size_t)(bytes[0] << 8 | bytes[1]) : 0;
	if (there < 2 || there < length + 2)
		return in->ended ? TURN_CLOSE : TURN_WAIT;
	bool later = false;
	conn->asked = conn->asked ? conn->asked : worker->now;
	size_t used = length > MESSAGE_MAX
			      ? 0
			      : respond(worker, bytes + 2, length, conn->asked, answer, &later);
	if (later) {
		conn->paused = worker->any_paused = true;
		return TURN_WAIT;
	}
	conn->asked = 0;
	if (used == 0)
		return TURN_CLOSE;
	const uint8_t head[2] = { (uint8_t)(used >> 8), (uint8_t)used };
	flow_skip(in, (uint32_t)length + 2);
	flow_say(conn, head, sizeof(head));
	flow_say(conn, answer, used);
	return TURN_MOVED;
}
