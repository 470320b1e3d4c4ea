// Owns the life of a decrypted connection: TLS on both sides, HTTP between.
#include "secrets/opener/bridge.h"

#include <openssl/err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

enum { SHAKE_MILLISECONDS = 30000, DRAIN_MILLISECONDS = 2000, TURNS_MAX = 64 };

static uint64_t tag_of(uint32_t index, uint32_t generation)
{
	return (uint64_t)generation << 32 | index;
}

static void end(struct opener *opener, uint32_t index)
{
	struct bridge *bridge = opener->bridges[index];
	for (int side = TO_CLIENT; side <= TO_SERVER; side++) {
		SSL_free(bridge->legs[side].ssl);
		if (bridge->legs[side].fd >= 0)
			close(bridge->legs[side].fd);
	}
	OPENSSL_cleanse(bridge, sizeof(*bridge));
	free(bridge);
	opener->bridges[index] = NULL;
}

static void say_problem(struct bridge *bridge)
{
	long result = SSL_get_verify_result(bridge->legs[TO_SERVER].ssl);
	unsigned long error = ERR_peek_error();
	const char *reason = ERR_reason_error_string(error);
	if (bridge->problem[0])
		return;
	if (result != X509_V_OK)
		snprintf(bridge->problem, sizeof(bridge->problem), "the server's certificate: %s",
			 X509_verify_cert_error_string(result));
	else
		snprintf(bridge->problem, sizeof(bridge->problem), "no TLS with the server: %s",
			 reason ? reason : "it ended the connection");
}

static bool is_distrust(unsigned long error)
{
	int reason = ERR_GET_REASON(error);
	return reason == SSL_R_TLSV1_ALERT_UNKNOWN_CA ||
	       reason == SSL_R_SSLV3_ALERT_BAD_CERTIFICATE ||
	       reason == SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN;
}

static void say_client(struct opener *opener, const struct bridge *bridge)
{
	unsigned long error = ERR_peek_error();
	if (is_distrust(error))
		notes_refusal(
			opener, bridge,
			"the client does not trust the certificates of this box: it has a separate "
			"list",
			true);
	else if (ERR_GET_REASON(error) == SSL_R_NO_APPLICATION_PROTOCOL)
		notes_refusal(opener, bridge,
			      "the client speaks HTTP/2 alone; a host of a secret is "
			      "reached in HTTP/1.1",
			      true);
}

static bool waits(struct opener *opener, struct bridge *bridge, enum bridge_side side, int result)
{
	struct leg *leg = &bridge->legs[side];
	int error = SSL_get_error(leg->ssl, result);
	if (error == SSL_ERROR_WANT_READ || error == SSL_ERROR_WANT_WRITE)
		return true;
	if (error == SSL_ERROR_ZERO_RETURN) {
		leg->ended = true;
		return false;
	}
	if (side == TO_SERVER && !leg->shaken)
		say_problem(bridge);
	if (side == TO_CLIENT)
		say_client(opener, bridge);
	leg->broken = true;
	return false;
}

static bool shake(struct opener *opener, struct bridge *bridge, enum bridge_side side)
{
	struct leg *leg = &bridge->legs[side];
	if (leg->shaken || leg->broken)
		return false;
	ERR_clear_error();
	int result = SSL_do_handshake(leg->ssl);
	leg->shaken = result == 1;
	if (!leg->shaken)
		waits(opener, bridge, side, result);
	return leg->shaken;
}

static bool fill(struct opener *opener, struct bridge *bridge, enum bridge_side side)
{
	struct leg *leg = &bridge->legs[side];
	bool moved = false;
	while (leg->shaken && !leg->ended && !leg->broken && leg->in_used < sizeof(leg->in)) {
		ERR_clear_error();
		int got = SSL_read(leg->ssl, leg->in + leg->in_used,
				   (int)(sizeof(leg->in) - leg->in_used));
		if (got <= 0) {
			waits(opener, bridge, side, got);
			return moved || leg->ended || leg->broken;
		}
		leg->in_used += (size_t)got;
		moved = true;
	}
	return moved;
}

static bool flush(struct opener *opener, struct bridge *bridge, enum bridge_side side)
{
	struct leg *leg = &bridge->legs[side];
	bool moved = false;
	while (leg->shaken && !leg->broken && leg->out_start < leg->out_end) {
		ERR_clear_error();
		int put = SSL_write(leg->ssl, leg->out + leg->out_start,
				    (int)(leg->out_end - leg->out_start));
		if (put <= 0) {
			waits(opener, bridge, side, put);
			return moved || leg->broken;
		}
		leg->out_start += (size_t)put;
		moved = true;
	}
	if (leg->out_start == leg->out_end)
		leg->out_start = leg->out_end = 0;
	return moved;
}

static void refuse(struct opener *opener, struct bridge *bridge, int status, const char *why,
		   bool failed)
{
	struct leg *client = &bridge->legs[TO_CLIENT];
	notes_refusal(opener, bridge, why, failed);
	bridge->closing = true;
	size_t put = bridge->exchange.answered
			     ? 0
			     : exchange_refusal(&bridge->exchange, status, why,
						client->out + client->out_end,
						sizeof(client->out) - client->out_end);
	client->broken = put == 0;
	client->out_end += put;
}

static enum exchange_turn carry(struct bridge *bridge, enum bridge_side from)
{
	struct leg *in = &bridge->legs[from], *out = &bridge->legs[!from];
	if (out->out_start > 0) {
		memmove(out->out, out->out + out->out_start, out->out_end - out->out_start);
		out->out_end -= out->out_start;
		out->out_start = 0;
	}
	struct passage stream = { .in = in->in,
				  .length = in->in_used,
				  .out = out->out + out->out_end,
				  .room = sizeof(out->out) - out->out_end,
				  .ended = in->ended };
	enum exchange_turn turn = from == TO_CLIENT ? exchange_up(&bridge->exchange, &stream)
						    : exchange_down(&bridge->exchange, &stream);
	memmove(in->in, in->in + stream.used, in->in_used - stream.used);
	in->in_used -= stream.used;
	out->out_end += stream.wrote;
	return turn;
}

static bool exchange(struct opener *opener, struct bridge *bridge)
{
	const struct exchange *state = &bridge->exchange;
	bool moved = false;
	for (int from = TO_CLIENT; from <= TO_SERVER && !bridge->closing; from++) {
		enum exchange_turn turn = carry(bridge, (enum bridge_side)from);
		moved = moved || turn != EXCHANGE_WAIT;
		switch (turn) {
		case EXCHANGE_WAIT:
		case EXCHANGE_MOVED:
			break;
		case EXCHANGE_REFUSED:
			refuse(opener, bridge, state->status, state->why, state->status == 502);
			break;
		case EXCHANGE_OVER:
			bridge->closing = true;
			break;
		case EXCHANGE_BROKEN:
			if (state->up != UP_HEAD && !state->answered)
				refuse(opener, bridge, 502, "the server ended without an answer",
				       true);
			bridge->cut = !bridge->closing;
			bridge->closing = true;
			break;
		}
	}
	notes_uses(opener, &bridge->exchange);
	return moved;
}

static void answer_problem(struct opener *opener, struct bridge *bridge)
{
	const struct leg *client = &bridge->legs[TO_CLIENT];
	struct http_request request;
	enum parse result = http_request(client->in, client->in_used, &request);
	if (result == PARSE_MORE && client->in_used < sizeof(client->in))
		return;
	bridge->exchange.asks_head = result == PARSE_DONE && request.asks_head;
	refuse(opener, bridge, 502, bridge->problem, true);
}

static bool close_gently(struct opener *opener, struct bridge *bridge)
{
	struct leg *client = &bridge->legs[TO_CLIENT];
	if (client->broken || client->ended || bridge->cut)
		return client->broken || client->out_start == client->out_end;
	if (client->out_start < client->out_end)
		return false;
	if (!bridge->drains) {
		bridge->drains = true;
		SSL_shutdown(client->ssl);
		shutdown(client->fd, SHUT_WR);
		bridge->deadline = opener->now + DRAIN_MILLISECONDS;
	}
	client->in_used = 0;
	return false;
}

static bool is_over(struct opener *opener, struct bridge *bridge)
{
	struct leg *client = &bridge->legs[TO_CLIENT], *server = &bridge->legs[TO_SERVER];
	if (client->broken)
		return true;
	if (bridge->closing)
		return close_gently(opener, bridge);
	if (client->ended && client->in_used == 0 && bridge->exchange.up == UP_HEAD)
		return true;
	if (!server->broken || !server->shaken || server->in_used > 0)
		return false;
	if (bridge->exchange.up != UP_HEAD && !bridge->exchange.answered) {
		refuse(opener, bridge, 502, "the server ended without an answer", true);
		return client->broken;
	}
	return client->out_start == client->out_end;
}

static void turn(struct opener *opener, uint32_t index)
{
	struct bridge *bridge = opener->bridges[index];
	bool moved = true;
	for (int i = 0; i < TURNS_MAX && moved; i++) {
		moved = shake(opener, bridge, TO_CLIENT);
		moved = shake(opener, bridge, TO_SERVER) || moved;
		if (bridge->legs[TO_CLIENT].shaken && bridge->legs[TO_SERVER].shaken &&
		    !bridge->closing)
			bridge->deadline = 0;
		moved = fill(opener, bridge, TO_CLIENT) || moved;
		moved = fill(opener, bridge, TO_SERVER) || moved;
		if (!bridge->closing && bridge->problem[0])
			answer_problem(opener, bridge);
		else if (!bridge->closing && bridge->legs[TO_SERVER].shaken)
			moved = exchange(opener, bridge) || moved;
		moved = flush(opener, bridge, TO_SERVER) || moved;
		moved = flush(opener, bridge, TO_CLIENT) || moved;
		if (is_over(opener, bridge)) {
			end(opener, index);
			return;
		}
	}
	// Work is left: EPOLL_CTL_MOD makes epoll report the events again.
	if (moved)
		for (int side = TO_CLIENT; side <= TO_SERVER; side++) {
			struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET,
						     .data.u64 =
							     tag_of(index, bridge->generation) };
			epoll_ctl(opener->epoll, EPOLL_CTL_MOD, bridge->legs[side].fd, &event);
		}
}

void bridge_event(struct opener *opener, uint64_t tag)
{
	uint32_t index = (uint32_t)tag;
	if (index < BRIDGES_MAX && opener->bridges[index] &&
	    tag_of(index, opener->bridges[index]->generation) == tag)
		turn(opener, index);
}

static bool is_ours(const struct keyring *ring, const struct host *host, uint16_t port)
{
	for (unsigned i = 0; i < ring->count; i++)
		if (secret_goes_to(&ring->secrets[i].rule, host, port))
			return true;
	return false;
}

static bool start(struct opener *opener, struct bridge *bridge, uint32_t index)
{
	if (!contexts_begin(opener))
		return false;
	bridge->deadline = opener->now + SHAKE_MILLISECONDS;
	for (int side = TO_CLIENT; side <= TO_SERVER; side++) {
		struct epoll_event event = { .events = EPOLLIN | EPOLLOUT | EPOLLET,
					     .data.u64 = tag_of(index, bridge->generation) };
		bridge->legs[side].ssl = contexts_new(opener, bridge, (enum bridge_side)side);
		if (!bridge->legs[side].ssl ||
		    epoll_ctl(opener->epoll, EPOLL_CTL_ADD, bridge->legs[side].fd, &event) < 0)
			return false;
	}
	return true;
}

void bridge_begin(struct opener *opener, const struct opener_pair *pair, int client, int server)
{
	struct host host;
	uint32_t index = 0;
	while (index < BRIDGES_MAX && opener->bridges[index])
		index++;
	// Checks the worker's message: a box may control the worker.
	bool good = client >= 0 && server >= 0 && index < BRIDGES_MAX &&
		    memchr(pair->host.name, '\0', sizeof(pair->host.name)) &&
		    host_parse(pair->host.name, strlen(pair->host.name), &host) &&
		    host.kind == HOST_NAME && is_ours(&opener->ring, &host, pair->port);
	struct bridge *bridge = good ? calloc(1, sizeof(*bridge)) : NULL;
	if (!bridge) {
		if (client >= 0)
			close(client);
		if (server >= 0)
			close(server);
		return;
	}
	bridge->legs[TO_CLIENT].fd = client;
	bridge->legs[TO_SERVER].fd = server;
	bridge->generation = ++opener->generation;
	exchange_begin(&bridge->exchange, &opener->ring, &host, pair->port);
	opener->bridges[index] = bridge;
	if (start(opener, bridge, index))
		turn(opener, index);
	else
		end(opener, index);
}

int bridge_wait(const struct opener *opener)
{
	int64_t first = 0;
	for (unsigned i = 0; i < BRIDGES_MAX; i++)
		if (opener->bridges[i] && opener->bridges[i]->deadline &&
		    (!first || opener->bridges[i]->deadline < first))
			first = opener->bridges[i]->deadline;
	return !first ? -1 : first <= opener->now ? 0 : (int)(first - opener->now);
}

void bridge_expire(struct opener *opener)
{
	for (uint32_t i = 0; i < BRIDGES_MAX; i++) {
		struct bridge *bridge = opener->bridges[i];
		if (!bridge || !bridge->deadline || bridge->deadline > opener->now)
			continue;
		bool tell = !bridge->closing && !bridge->problem[0] &&
			    bridge->legs[TO_CLIENT].shaken && !bridge->legs[TO_SERVER].shaken;
		if (!tell) {
			end(opener, i);
			continue;
		}
		snprintf(bridge->problem, sizeof(bridge->problem),
			 "no TLS with the server: no answer in 30 s");
		bridge->deadline = opener->now + DRAIN_MILLISECONDS;
		turn(opener, i);
	}
}
