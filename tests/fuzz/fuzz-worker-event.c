// libFuzzer: any bytes as messages of a proxy's worker. One that is taken is logged, reported and
// asked about, and no byte of it acts on a terminal.
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ask/ask.h"
#include "base/base.h"
#include "net/host/destinations.h"
#include "net/host/proxy.h"
#include "plan.h"
#include "report/findings.h"
#include "run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { NOW = 1000000, EVENTS_MAX = 8 };

// Pieces of the input lie over a message that is whole: where, how long, and the bytes.
static const uint8_t *change(struct worker_event *event, const uint8_t *at, const uint8_t *end)
{
	while (end - at > 3) {
		size_t place = (at[0] | (size_t)(at[1] & 127) << 8) % sizeof(*event),
		       length = at[2];
		bool last = at[1] & 128;
		at += 3;
		length = length < (size_t)(end - at) ? length : (size_t)(end - at);
		length = length < sizeof(*event) - place ? length : sizeof(*event) - place;
		memcpy((char *)event + place, at, length);
		at += length;
		if (last)
			break;
	}
	return at;
}

static void ask(const struct conn_record *record)
{
	struct host_question question = { .host = record->host, .port = record->port };
	const struct host_question *all[] = { &question, &question };
	for (unsigned count = 1; count <= 2; count++) {
		struct out out = { 0 }, again = { 0 };
		question_text(all, count, "orn", 9, &out);
		out_visible(&again, out.text, out.used);
		assert(out.used == again.used && memcmp(out.text, again.text, out.used) == 0);
		for (size_t i = 0; i < out.used; i++)
			assert(out.text[i] == '\n' || (out.text[i] >= ' ' && out.text[i] <= '~'));
		out_free(&out);
		out_free(&again);
	}
}

static void report(struct proxy *proxy)
{
	static const struct plan plan;
	struct denials denials = { 0 };
	refusals_new(&plan, proxy, &denials);
	refusals_report(&plan, proxy, &denials);
	refusals_used(proxy, &denials);
	for (unsigned i = 0; i < denials.count; i++)
		assert(str_visible(denials.all[i].why) && str_visible(denials.all[i].rule) &&
		       str_visible(denials.all[i].value));
	denials_free(&denials);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct profile profile;
	static struct plan plan = { .profile = &profile, .state = "/proc/self/none" };
	struct proxy proxy = { .connections = seen_new(-1, "/project") };
	struct run run = { .proxy = &proxy };
	const uint8_t *end = data + size;
	assert(proxy.connections);
	proxy.connections->audit.fd = open("/dev/null", O_WRONLY | O_CLOEXEC);
	for (int i = 0; i < EVENTS_MAX && (i == 0 || data < end); i++) {
		struct worker_event event = { 0 };
		event.count = 2;
		event.records[0] = event.records[1] =
			(struct conn_record){ .host.name = "example.com",
					      .port = 443,
					      .rule = "*.com",
					      .time = 1,
					      .count = 1 };
		data = change(&event, data, end);
		if (!event_is_good(&event, NOW))
			continue;
		if (event.kind == EVENT_ASK)
			ask(&event.records[0]);
		if (event.kind == EVENT_RECORD)
			seen_take(&plan, &run, proxy.connections, &event, NULL);
	}
	report(&proxy);
	seen_end(&plan, proxy.connections);
	free(proxy.connections);
	return 0;
}
