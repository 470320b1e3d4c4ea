// Owns the programs on the box's cgroup. The kernel runs them for a socket, a socket's address, a
// packet or a device. They deny everything unknown.
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

#include "bpf/maps.h"

enum { DENY, PASS };
enum { LOOPBACK_INDEX = 1, TCP = 6, UDP = 17 };
enum { TTY_MAJOR = 5, TTY_MINOR = 0, PTMX_MINOR = 2, PTY_FIRST = 136, PTY_LAST = 143 };
enum { TYPE_MASK = 0xffff, ACCESS_SHIFT = 16 };
// Offsets in a packet, in bytes (RFC 791, RFC 8200).
enum { V4_PROTOCOL = 9, V4_ADDRESSES = 12 };
enum { V6_PROTOCOL = 6, V6_FROM = 8, V6_TO = 24, V6_LENGTH = 40, V6_SIZE = 16 };

char terms[] SEC("license") = "Apache-2.0";

const volatile __u8 of_host;
const volatile __u64 own_network; // cookie of the supervisor's network; unused in mode host
const volatile __u64 most[GUARD_COUNTERS];

__u64 bytes[GUARD_COUNTERS];

struct {
	__uint(type, BPF_MAP_TYPE_LPM_TRIE);
	__uint(max_entries, GUARD_RULES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_RDONLY_PROG);
	__type(key, struct guard_rule);
	__type(value, __u8);
} rules SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, GUARD_DEVICES_MAX);
	__uint(map_flags, BPF_F_NO_PREALLOC | BPF_F_RDONLY_PROG);
	__type(key, struct guard_device);
	__type(value, __u8);
} devices SEC(".maps");

static __always_inline int is_listed(struct guard_rule *key, enum guard_list list, __be16 port)
{
	key->list = (__u8)list;
	key->port = port;
	if (bpf_map_lookup_elem(&rules, key))
		return 1;
	key->port = 0;
	return bpf_map_lookup_elem(&rules, key) != 0;
}

// Applies IPv4's rules to ::ffff:0:0/96, by which an IPv6 socket reaches IPv4.
static __always_inline int judge(struct guard_rule *key, __be16 port)
{
	int is_v4 = key->address[0] == 0 && key->address[1] == 0 &&
		    key->address[2] == bpf_htonl(0xffff);
	key->bits = 8 * (sizeof(*key) - sizeof(key->bits));
	key->family = is_v4 ? GUARD_V4 : GUARD_V6;
	if (is_listed(key, GUARD_DENY, port))
		return DENY;
	return is_listed(key, GUARD_ALLOW, port) ? PASS : DENY;
}

static __always_inline int is_escaped(struct bpf_sock_addr *to)
{
	return bpf_get_netns_cookie(to) == own_network;
}

static __always_inline int judge_v4(struct bpf_sock_addr *to)
{
	struct guard_rule key = { .address = { 0, 0, bpf_htonl(0xffff), to->user_ip4 } };
	if (!of_host)
		return is_escaped(to) ? DENY : PASS;
	return judge(&key, (__be16)to->user_port);
}

static __always_inline int judge_v6(struct bpf_sock_addr *to)
{
	struct guard_rule key = { .address = { to->user_ip6[0], to->user_ip6[1], to->user_ip6[2],
					       to->user_ip6[3] } };
	if (!of_host)
		return is_escaped(to) ? DENY : PASS;
	return judge(&key, (__be16)to->user_port);
}

SEC("cgroup/connect4")
int connect_v4(struct bpf_sock_addr *to)
{
	return judge_v4(to);
}

SEC("cgroup/connect6")
int connect_v6(struct bpf_sock_addr *to)
{
	return judge_v6(to);
}

SEC("cgroup/sendmsg4")
int send_v4(struct bpf_sock_addr *to)
{
	return judge_v4(to);
}

SEC("cgroup/sendmsg6")
int send_v6(struct bpf_sock_addr *to)
{
	return judge_v6(to);
}

// Refuses other protocols: the programs for addresses and packets see only TCP and UDP.
SEC("cgroup/sock_create")
int create_socket(struct bpf_sock *socket)
{
	return socket->protocol == TCP || socket->protocol == UDP ? PASS : DENY;
}

struct packet_ends {
	struct guard_rule local, remote;
	__be16 local_port, remote_port;
};

static __always_inline int read_v4(struct __sk_buff *packet, __u32 length,
				   struct packet_ends *from_to)
{
	__be32 addresses[2];
	__u8 protocol;
	if (bpf_skb_load_bytes(packet, V4_PROTOCOL, &protocol, sizeof(protocol)) < 0 ||
	    bpf_skb_load_bytes(packet, V4_ADDRESSES, addresses, sizeof(addresses)) < 0 ||
	    bpf_skb_load_bytes(packet, length, &from_to->local_port, sizeof(__be16)) < 0 ||
	    bpf_skb_load_bytes(packet, length + sizeof(__be16), &from_to->remote_port,
			       sizeof(__be16)) < 0)
		return 0;
	from_to->local.address[2] = from_to->remote.address[2] = bpf_htonl(0xffff);
	from_to->local.address[3] = addresses[0];
	from_to->remote.address[3] = addresses[1];
	return protocol == TCP || protocol == UDP;
}

static __always_inline int read_v6(struct __sk_buff *packet, struct packet_ends *from_to)
{
	__u8 protocol;
	if (bpf_skb_load_bytes(packet, V6_PROTOCOL, &protocol, sizeof(protocol)) < 0 ||
	    bpf_skb_load_bytes(packet, V6_FROM, from_to->local.address, V6_SIZE) < 0 ||
	    bpf_skb_load_bytes(packet, V6_TO, from_to->remote.address, V6_SIZE) < 0 ||
	    bpf_skb_load_bytes(packet, V6_LENGTH, &from_to->local_port, sizeof(__be16)) < 0 ||
	    bpf_skb_load_bytes(packet, V6_LENGTH + sizeof(__be16), &from_to->remote_port,
			       sizeof(__be16)) < 0)
		return 0;
	return protocol == TCP || protocol == UDP;
}

static __always_inline int read_ends(struct __sk_buff *packet, enum guard_counter way,
				     struct packet_ends *ret_ends)
{
	struct packet_ends from_to = { .local_port = 0 };
	__u8 first;
	if (bpf_skb_load_bytes(packet, 0, &first, sizeof(first)) < 0)
		return 0;
	if (!(first >> 4 == 4 ? read_v4(packet, (first & 0xf) * 4, &from_to)
			      : first >> 4 == 6 && read_v6(packet, &from_to)))
		return 0;
	*ret_ends = from_to;
	if (way == GUARD_RECEIVED) {
		ret_ends->local = from_to.remote;
		ret_ends->remote = from_to.local;
		ret_ends->local_port = from_to.remote_port;
		ret_ends->remote_port = from_to.local_port;
	}
	return 1;
}

// Also judges connections that the box did not open. A rule names the remote end. On the loopback
// both ends may be the box's: a rule may name either.
static __always_inline int judge_ends(struct __sk_buff *packet, enum guard_counter way)
{
	struct packet_ends ends;
	if (!read_ends(packet, way, &ends))
		return DENY;
	if (judge(&ends.remote, ends.remote_port))
		return PASS;
	return packet->ifindex == LOOPBACK_INDEX ? judge(&ends.local, ends.local_port) : DENY;
}

static __always_inline int judge_packet(struct __sk_buff *packet, enum guard_counter counter)
{
	if (!of_host)
		return packet->ifindex == LOOPBACK_INDEX ? PASS : DENY;
	if (judge_ends(packet, counter) == DENY)
		return DENY;
	if (packet->ifindex == LOOPBACK_INDEX)
		return PASS;
	__sync_fetch_and_add(&bytes[counter], packet->len);
	return *(volatile __u64 *)&bytes[counter] > most[counter] ? DENY : PASS;
}

SEC("cgroup_skb/egress")
int send_packet(struct __sk_buff *packet)
{
	return judge_packet(packet, GUARD_SENT);
}

SEC("cgroup_skb/ingress")
int receive_packet(struct __sk_buff *packet)
{
	return judge_packet(packet, GUARD_RECEIVED);
}

// Called when a device is opened, or its node is made. Making a node is always denied.
SEC("cgroup/dev")
int open_device(struct bpf_cgroup_dev_ctx *access)
{
	struct guard_device device = { access->major, access->minor };
	if (access->access_type >> ACCESS_SHIFT & BPF_DEVCG_ACC_MKNOD)
		return DENY;
	if ((access->access_type & TYPE_MASK) != BPF_DEVCG_DEV_CHAR)
		return DENY;
	if (device.major >= PTY_FIRST && device.major <= PTY_LAST)
		return PASS;
	if (device.major == TTY_MAJOR && (device.minor == TTY_MINOR || device.minor == PTMX_MINOR))
		return PASS;
	if (bpf_map_lookup_elem(&devices, &device))
		return PASS;
	device.minor = GUARD_EVERY_MINOR;
	return bpf_map_lookup_elem(&devices, &device) ? PASS : DENY;
}
