// libFuzzer: what the supervisor takes from a locked process that was taken over: the answer of who
// reads a box's files, the table of refusals of opener, agent filter and relay, and a worker that
// reads its orders as it likes. fuzz-worker-event has a worker's messages.
#include <assert.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "net/host/destinations.h"
#include "report/findings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// No byte acts on a terminal.
static void is_plain(struct out *out)
{
	for (size_t i = 0; i < out->used; i++)
		assert(out->text[i] == '\n' ||
		       ((unsigned char)out->text[i] >= ' ' && out->text[i] != 127));
	out_free(out);
}

static void read_answer(const uint8_t *data, size_t size)
{
	struct findings found = { 0 }, answer = { 0 };
	size_t counts = size < sizeof(answer.counts) ? size : sizeof(answer.counts);
	findings_add(&found, FINDING_REPLACED, "before", "", "");
	memcpy(answer.counts, data, counts);
	out_bytes(&answer.records, (const char *)data + counts, size - counts);
	unsigned before = findings_count(&found);
	if (findings_take(&found, &answer)) {
		for (enum reader reader = READER_PERSON; reader <= READER_AUDIT; reader++) {
			struct out text = { 0 };
			findings_text(&found, reader, &text);
			is_plain(&text);
		}
		struct out json = { .json = true };
		findings_json(&found, &json);
		is_plain(&json);
	} else {
		assert(findings_count(&found) == before);
	}
	for (enum finding_kind kind = 0; kind < FINDING_KINDS; kind++)
		assert(found.counts[kind] <= FINDING_COUNT_MAX + size);
	findings_free(&found);
	findings_free(&answer);
}

// Pieces of the input lie over a table that is whole: where, how long, and the bytes.
static void read_table(const uint8_t *data, size_t size)
{
	static struct refused_table table;
	struct denials denials = { 0 };
	const uint8_t *end = data + size;
	table = (struct refused_table){ .count = 2 };
	refused_set(&table.all[0], REFUSED_SECRET, "example.com", "why");
	refused_set(&table.all[1], REFUSED_AGENT, "/a", "why");
	while (end - data > 3) {
		size_t place = (data[0] | (size_t)data[1] << 8) * 2 % sizeof(table),
		       length = data[2];
		data += 3;
		length = length < (size_t)(end - data) ? length : (size_t)(end - data);
		length = length < sizeof(table) - place ? length : sizeof(table) - place;
		memcpy((char *)&table + place, data, length);
		data += length;
	}
	refused_collect(&table, &denials);
	assert(denials.count <= REFUSED_MAX);
	for (unsigned i = 0; i < denials.count; i++)
		assert(denials.all[i].kind && denials.all[i].verb &&
		       str_printable(denials.all[i].what) && str_printable(denials.all[i].why) &&
		       str_printable(denials.all[i].value));
	denials_free(&denials);
}

// Each byte is a step of either side. No descriptor is left when it ends.
static void take_orders(const uint8_t *data, size_t size)
{
	int ends[2];
	static char bytes[sizeof(struct worker_command)];
	int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
	close(lowest);
	assert(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) == 0);
	struct orders *orders = orders_new(ends[0]);
	assert(orders);
	orders->worker = getpid();
	for (const uint8_t *at = data; at < data + size; at++) {
		struct worker_command command = { .kind = *at % (COMMAND_END + 1), .token = *at };
		int fds[FD_PASSED] = { -1, -1, -1, -1 };
		switch (*at >> 5) {
		case 0: // with a descriptor
			fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
			orders_give(orders, &command, fds, 1);
			break;
		case 1:
			for (int i = 0; i < 300; i++)
				orders_give(orders, &command, fds, 0);
			break;
		case 2:
			orders_files(orders);
			break;
		case 3: // the worker reads one
			if (fd_receive_now(ends[1], bytes, sizeof(bytes), fds) >= 0)
				for (int i = 0; i < FD_PASSED; i++)
					fd_close(&fds[i]);
			break;
		case 4: // what it answers is none of the queue's
			send(ends[1], bytes, *at & 31, MSG_NOSIGNAL);
			break;
		case 5:
			orders_rules(orders);
			orders_overdue(orders, *at & 1);
			break;
		case 6:
			orders_send(orders);
			break;
		default: // it ends
			shutdown(ends[1], SHUT_RDWR);
		}
		assert(orders->count <= ORDERS_MAX && orders->first < ORDERS_MAX);
		assert(orders_wait(orders, 7) <= 50);
	}
	orders_free(orders);
	close(ends[0]);
	close(ends[1]);
	int again = open("/dev/null", O_RDONLY | O_CLOEXEC);
	assert(again == lowest);
	close(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static void (*const channels[])(const uint8_t *, size_t) = { read_answer, read_table,
								     take_orders };
	if (size > 0)
		channels[data[0] % 3](data + 1, size - 1);
	return 0;
}
