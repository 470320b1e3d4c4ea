// The guard's programs themselves, as C, with a plain model of the kernel's maps; what they answer
// is compared with the rules read one after the other.
#include "test.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <linux/bpf.h>

#include <bpf/bpf_helpers.h>

static void *lookup(void *map, const void *key);
#define bpf_map_lookup_elem       lookup
#define bpf_get_netns_cookie(any) ((void)(any), (uint64_t)77)
static long load_bytes(const void *packet, uint32_t offset, void *into, uint32_t size);
#define bpf_skb_load_bytes load_bytes
// Programs have no prototypes, and libbpf's macros use typeof.
#pragma GCC diagnostic ignored "-Wpragmas"
#pragma GCC diagnostic ignored "-Wlanguage-extension-token"
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "bpf/guard.bpf.c"

#include "bpf/map_keys.h"
#include "text/destination.h"

enum { KEYS_MAX = 4096, RULES_AT_ONCE = 12 };
static struct guard_rule known_rules[KEYS_MAX];
static struct guard_device known_devices[8];
static unsigned rule_count, device_count;

// An LPM trie finds something where the first bits of any of its keys are those that are asked for.
static bool is_within(const struct guard_rule *known, const struct guard_rule *key)
{
	const uint8_t *left = &known->list, *right = &key->list;
	for (unsigned bit = 0; bit < known->bits; bit++)
		if ((left[bit / 8] ^ right[bit / 8]) & 0x80 >> bit % 8)
			return false;
	return known->bits <= key->bits;
}

static void *lookup(void *map, const void *key)
{
	static uint8_t value = 1;
	for (unsigned i = 0; map == &rules && i < rule_count; i++)
		if (is_within(&known_rules[i], key))
			return &value;
	for (unsigned i = 0; map == &devices && i < device_count; i++)
		if (memcmp(&known_devices[i], key, sizeof(struct guard_device)) == 0)
			return &value;
	return NULL;
}

// The packet that is looked at, from its network header on.
static uint8_t packet_bytes[64];
static uint32_t packet_length;

static long load_bytes(const void *packet, uint32_t offset, void *into, uint32_t size)
{
	(void)packet;
	if (offset > packet_length || size > packet_length - offset)
		return -1;
	memcpy(into, packet_bytes + offset, size);
	return 0;
}

// The programs' constants lie in memory that only the loader may write.
static void set_constants(bool host, uint64_t network, uint64_t sent)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const volatile void *const constants[] = { &of_host, &own_network, &most };
	for (size_t i = 0; i < sizeof(constants) / sizeof(*constants); i++)
		assert_int_equal(mprotect((void *)((uintptr_t)constants[i] & ~(page - 1)), page,
					  PROT_READ | PROT_WRITE),
				 0);
	*(volatile __u8 *)(uintptr_t)&of_host = host;
	*(volatile __u64 *)(uintptr_t)&own_network = network;
	*(volatile __u64 *)(uintptr_t)&most[GUARD_SENT] = sent;
	*(volatile __u64 *)(uintptr_t)&most[GUARD_RECEIVED] = ~0ULL;
}

static int connects(const struct address *address, uint16_t port, bool by_v4)
{
	struct bpf_sock_addr to = { .user_port = htons(port) };
	memcpy(&to.user_ip4, address->bytes + 12, sizeof(to.user_ip4));
	if (!by_v4)
		memcpy(to.user_ip6, address->bytes, sizeof(to.user_ip6));
	assert_int_equal(by_v4 ? connect_v4(&to) : connect_v6(&to),
			 by_v4 ? send_v4(&to) : send_v6(&to));
	return by_v4 ? connect_v4(&to) : connect_v6(&to);
}

static void add_rule(const struct destination *rule, enum guard_list list)
{
	assert_true(rule_count + DESTINATION_PORTS_MAX <= KEYS_MAX);
	rule_count += keys_of(rule, list, known_rules + rule_count);
}

// Few bits differ, so that rules overlap, and some addresses of either family look like the other.
static struct address random_address(void)
{
	struct address address = { 0 };
	bool v4 = rand() % 2;
	if (v4 || rand() % 4 == 0)
		address.bytes[10] = address.bytes[11] = 0xff;
	if (!v4)
		address.bytes[rand() % 12] ^= (uint8_t)(rand() % 3);
	for (int i = 12; i < 16; i++)
		address.bytes[i] = (uint8_t)(rand() % 4 * 85);
	return address;
}

static struct destination random_rule(void)
{
	struct destination rule = { .kind = DESTINATION_NETWORK, .network = random_address() };
	unsigned least = address_is_v4(&rule.network) ? 96 : 0;
	rule.prefix = rand() % 3 ? least + (unsigned)rand() % (129 - least) : 128;
	for (unsigned bit = rule.prefix; bit < 128; bit++)
		rule.network.bytes[bit / 8] &= (uint8_t)~(0x80 >> bit % 8);
	rule.port_count = rand() % 2 ? (unsigned)rand() % 4 : 0;
	for (unsigned i = 0; i < rule.port_count; i++)
		rule.ports[i] = (uint16_t)(1 + rand() % 5);
	return rule;
}

static void same_as_rules_in_a_row(void **state)
{
	struct destination list[GUARD_ALLOW + 1][RULES_AT_ONCE];
	unsigned passed = 0, asked = 0;
	(void)state;
	srand(1);
	set_constants(true, 77, 0);
	for (int round = 0; round < 500; round++) {
		unsigned count = (unsigned)rand() % (RULES_AT_ONCE + 1);
		rule_count = 0;
		for (unsigned i = 0; i < 2 * count; i++) {
			list[i % 2][i / 2] = random_rule();
			add_rule(&list[i % 2][i / 2], i % 2);
		}
		for (int question = 0; question < 200; question++, asked++) {
			struct host host = { .kind = HOST_ADDRESS, .address = random_address() };
			uint16_t port = (uint16_t)(rand() % 7);
			bool found[GUARD_ALLOW + 1] = { false };
			for (unsigned i = 0; i < 2 * count; i++)
				found[i % 2] |=
					destination_matches(&list[i % 2][i / 2], &host, port);
			int expected = found[GUARD_ALLOW] && !found[GUARD_DENY] ? PASS : DENY;
			assert_int_equal(connects(&host.address, port, false), expected);
			if (address_is_v4(&host.address))
				assert_int_equal(connects(&host.address, port, true), expected);
			passed += expected == PASS;
		}
	}
	assert_in_range(passed, asked / 20, asked / 2); // the questions are worth asking
}

static void words(void **state)
{
	static const struct {
		const char *allow, *deny, *address;
		uint16_t port;
		int expected;
	} rows[] = {
		{ "10.0.0.0/8", NULL, "10.1.2.3", 443, PASS },
		{ "10.0.0.0/8", NULL, "11.1.2.3", 443, DENY },
		{ "10.0.0.0/8:80,443", NULL, "10.1.2.3", 443, PASS },
		{ "10.0.0.0/8:80,443", NULL, "10.1.2.3", 444, DENY },
		{ "10.0.0.0/8", "10.1.0.0/16:22", "10.1.2.3", 22, DENY },
		{ "10.0.0.0/8", "10.1.0.0/16:22", "10.1.2.3", 23, PASS },
		{ "10.1.2.3", "10.0.0.0/8", "10.1.2.3", 23, DENY },
		{ "10.1.2.3:22", "10.1.2.3:23", "10.1.2.3", 22, PASS },
		{ "::/0", NULL, "10.1.2.3", 22, DENY },
		{ "0.0.0.0/0", NULL, "2001:db8::1", 22, DENY },
		{ "::/0", "0.0.0.0/0", "2001:db8::1", 22, PASS },
		{ "10.1.2.3:22", NULL, "10.1.2.3", 0, DENY },
	};
	(void)state;
	set_constants(true, 77, 0);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct destination rule;
		struct host host;
		rule_count = 0;
		assert_true(destination_parse(rows[i].allow, &rule));
		add_rule(&rule, GUARD_ALLOW);
		if (rows[i].deny && destination_parse(rows[i].deny, &rule))
			add_rule(&rule, GUARD_DENY);
		assert_true(host_parse(rows[i].address, strlen(rows[i].address), &host));
		assert_int_equal(connects(&host.address, rows[i].port, false), rows[i].expected);
	}
}

static void other_modes(void **state)
{
	struct address any = { { 0 } };
	struct __sk_buff packet = { .ifindex = 1, .len = 100 };
	struct bpf_sock socket = { .protocol = 17 };
	(void)state;
	set_constants(false, 77, 0);
	rule_count = 0;
	assert_int_equal(connects(&any, 80, true), DENY);
	assert_int_equal(connects(&any, 80, false), DENY);
	set_constants(false, 78, 0);
	assert_int_equal(connects(&any, 80, true), PASS);
	assert_int_equal(connects(&any, 80, false), PASS);
	assert_int_equal(send_packet(&packet), PASS);
	packet.ifindex = 2;
	assert_int_equal(send_packet(&packet), DENY);
	assert_int_equal(receive_packet(&packet), DENY);
	assert_int_equal(create_socket(&socket), PASS);
	socket.protocol = 1;
	assert_int_equal(create_socket(&socket), DENY);
}

// From `from` to `to`; length 0: as long as it has to be.
static void write_packet(const char *from, const char *to, uint16_t from_port, uint16_t to_port,
			 uint8_t protocol, unsigned options)
{
	bool v6 = strchr(from, ':') != NULL;
	uint32_t header = v6 ? 40 : 20 + options;
	uint16_t ports[2] = { htons(from_port), htons(to_port) };
	memset(packet_bytes, 0, sizeof(packet_bytes));
	packet_bytes[0] = v6 ? 0x60 : (uint8_t)(0x40 | header / 4);
	packet_bytes[v6 ? 6 : 9] = protocol;
	assert_int_equal(inet_pton(v6 ? AF_INET6 : AF_INET, from, packet_bytes + (v6 ? 8 : 12)), 1);
	assert_int_equal(inet_pton(v6 ? AF_INET6 : AF_INET, to, packet_bytes + (v6 ? 24 : 16)), 1);
	memcpy(packet_bytes + header, ports, sizeof(ports));
	packet_length = header + 8;
}

static void allow(const char *text)
{
	struct destination rule;
	assert_true(destination_parse(text, &rule));
	add_rule(&rule, GUARD_ALLOW);
}

// Whoever is not allowed neither gets a packet nor is one taken from him.
static void packets(void **state)
{
	static const struct {
		const char *own, *other;
		uint16_t own_port, other_port;
		uint8_t protocol;
		unsigned options, interface;
		int expected;
	} rows[] = {
		{ "10.9.9.9", "10.1.2.3", 7777, 40000, 6, 0, 2, PASS },
		{ "10.9.9.9", "10.1.2.4", 7777, 40000, 6, 0, 2, DENY },
		{ "10.9.9.9", "10.1.2.4", 7777, 40000, 17, 0, 2, DENY },
		{ "10.1.2.3", "10.1.2.4", 7777, 40000, 6, 0, 2, DENY }, // own end counts nothing
		{ "10.9.9.9", "10.1.2.3", 7777, 40000, 1, 0, 2, DENY },
		{ "10.9.9.9", "10.1.2.3", 7777, 40000, 132, 0, 2, DENY },
		{ "10.9.9.9", "10.1.2.3", 7777, 40000, 6, 12, 2, PASS },
		{ "10.9.9.9", "10.2.2.2", 7777, 80, 6, 0, 2, PASS },
		{ "10.9.9.9", "10.2.2.2", 7777, 81, 6, 0, 2, DENY },
		{ "10.9.9.9", "10.2.2.2", 80, 81, 6, 4, 2, DENY },
		{ "fd00::9", "fd00::1", 7777, 40000, 6, 0, 2, PASS },
		{ "fd00::9", "fd00::2", 7777, 40000, 17, 0, 2, DENY },
		{ "fd00::9", "fd00::1", 7777, 40000, 60, 0, 2, DENY }, // options first
		{ "127.0.0.1", "127.0.0.1", 7777, 40000, 6, 0, 1, DENY },
		{ "127.0.0.1", "127.0.0.1", 7001, 40000, 6, 0, 1, PASS },
		{ "127.0.0.1", "127.0.0.1", 40000, 7001, 6, 0, 1, PASS },
	};
	(void)state;
	rule_count = 0;
	allow("10.1.2.3");
	allow("10.2.2.2:80");
	allow("fd00::1");
	allow("127.0.0.1:7001");
	set_constants(true, 78, ~0ULL);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct __sk_buff packet = { .ifindex = rows[i].interface, .len = 100 };
		write_packet(rows[i].own, rows[i].other, rows[i].own_port, rows[i].other_port,
			     rows[i].protocol, rows[i].options);
		assert_int_equal(send_packet(&packet), rows[i].expected);
		write_packet(rows[i].other, rows[i].own, rows[i].other_port, rows[i].own_port,
			     rows[i].protocol, rows[i].options);
		assert_int_equal(receive_packet(&packet), rows[i].expected);
		for (packet_length = 0; packet_length < 24; packet_length++)
			assert_int_equal(receive_packet(&packet), DENY); // cut off
	}
}

static void counted(void **state)
{
	struct __sk_buff packet = { .ifindex = 2, .len = 100 };
	(void)state;
	rule_count = 0;
	bytes[GUARD_SENT] = 0;
	allow("10.1.2.3");
	set_constants(true, 78, 250);
	write_packet("10.9.9.9", "10.1.2.4", 1, 2, 6, 0);
	assert_int_equal(send_packet(&packet), DENY);
	write_packet("10.9.9.9", "10.1.2.3", 1, 2, 6, 0);
	assert_int_equal(send_packet(&packet), PASS);
	assert_int_equal(send_packet(&packet), PASS);
	assert_int_equal(send_packet(&packet), DENY);
	assert_int_equal(bytes[GUARD_SENT], 300);
}

static int opens(uint32_t type, uint32_t access, uint32_t major, uint32_t minor)
{
	struct bpf_cgroup_dev_ctx device = { access << 16 | type, major, minor };
	return open_device(&device);
}

static void devices_of_the_view(void **state)
{
	(void)state;
	known_devices[0] = (struct guard_device){ 1, 3 };
	known_devices[1] = (struct guard_device){ 116, GUARD_EVERY_MINOR };
	device_count = 2;
	assert_int_equal(opens(BPF_DEVCG_DEV_CHAR, BPF_DEVCG_ACC_READ, 1, 3), PASS);
	assert_int_equal(opens(BPF_DEVCG_DEV_CHAR, BPF_DEVCG_ACC_READ, 1, 11), DENY);
	assert_int_equal(opens(BPF_DEVCG_DEV_CHAR, BPF_DEVCG_ACC_READ, 116, 9), PASS);
	assert_int_equal(opens(BPF_DEVCG_DEV_CHAR, BPF_DEVCG_ACC_WRITE, 136, 5), PASS);
	assert_int_equal(opens(BPF_DEVCG_DEV_CHAR, BPF_DEVCG_ACC_WRITE, 144, 5), DENY);
	assert_int_equal(opens(BPF_DEVCG_DEV_CHAR, BPF_DEVCG_ACC_READ, 5, 2), PASS);
	assert_int_equal(opens(BPF_DEVCG_DEV_CHAR, BPF_DEVCG_ACC_READ, 5, 1), DENY);
	assert_int_equal(opens(BPF_DEVCG_DEV_BLOCK, BPF_DEVCG_ACC_READ, 1, 3), DENY);
	assert_int_equal(opens(BPF_DEVCG_DEV_CHAR, BPF_DEVCG_ACC_MKNOD, 1, 3), DENY);
	assert_int_equal(opens(BPF_DEVCG_DEV_CHAR, BPF_DEVCG_ACC_MKNOD | BPF_DEVCG_ACC_READ, 1, 3),
			 DENY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_rules_in_a_row),
		cmocka_unit_test(words),
		cmocka_unit_test(other_modes),
		cmocka_unit_test(packets),
		cmocka_unit_test(counted),
		cmocka_unit_test(devices_of_the_view),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
