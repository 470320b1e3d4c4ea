// net/proxy/flow.c: where a buffer is full, and who waits for memory.
#include "test.h"

#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/proxy/flow.h"
#include "net/proxy/worker_state.h"

// A lent buffer holds more than the connection's own, whose size bounds what sbx itself says.
static void said_behind_a_stream(void **state)
{
	(void)state;
	static char bytes[2 * BUFFER_SIZE];
	static struct conn conn;
	struct flow *flow = &conn.flow[SERVER];
	conn.bytes[SERVER] = bytes;
	*flow = (struct flow){ .start = 1, .cleared = BUFFER_SIZE + 4, .end = BUFFER_SIZE + 4 };
	flow_say(&conn, "x", 1);
	assert_int_equal(flow->end, BUFFER_SIZE + 4);
	assert_int_equal(bytes[BUFFER_SIZE + 4], 0);
	*flow = (struct flow){ .start = 1, .cleared = 4, .end = 4 };
	flow_say(&conn, "x", 1);
	assert_int_equal(flow->cleared, 5);
	assert_int_equal(bytes[4], 'x');
}

// Where others hold much, a full small buffer is not read into; the worker wakes it when they give
// theirs back.
static void waits_for_memory(void **state)
{
	(void)state;
	static struct conn conn;
	static char buffers[2][BUFFER_SIZE];
	struct worker *worker = calloc(1, sizeof(*worker));
	struct flow *flow = &conn.flow[CLIENT];
	int ends[2];
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
	assert_int_equal(write(ends[1], "x", 1), 1);
	worker->conns = &conn;
	worker->buffers = buffers;
	worker->large_count = LARGE_MAX;
	conn = (struct conn){ .fd = { ends[0], -1 },
			      .readable = { true },
			      .bytes = { buffers[CLIENT], buffers[SERVER] } };
	flow->end = SMALL_BYTES;
	assert_int_equal(flow_read(worker, &conn, CLIENT), TURN_WAIT);
	assert_int_equal(flow->end, SMALL_BYTES);
	assert_true(conn.paused && worker->any_paused && conn.readable[CLIENT]);
	// Nobody wakes what waits for its own buffer to be written.
	conn.paused = worker->any_paused = false;
	flow->end = BUFFER_SIZE;
	assert_int_equal(flow_read(worker, &conn, CLIENT), TURN_WAIT);
	assert_false(conn.paused || worker->any_paused);
	close(ends[0]);
	close(ends[1]);
	free(worker);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(said_behind_a_stream),
					    cmocka_unit_test(waits_for_memory) };
	return cmocka_run_group_tests(tests, NULL, NULL);
}
