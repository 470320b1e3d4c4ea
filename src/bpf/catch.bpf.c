// Owns the program in the box's network that chooses the socket of a TCP connection.
#include <linux/bpf.h>

#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>

enum { TCP = 6, V4 = 2, DNS_PORT = 53, LOOPBACK_FIRST = 127 };

char terms[] SEC("license") = "Apache-2.0";

struct {
	__uint(type, BPF_MAP_TYPE_SOCKMAP);
	__uint(max_entries, 1);
	__type(key, __u32);
	__type(value, __u32);
} listener SEC(".maps");

static __always_inline int is_own(struct bpf_sk_lookup *to)
{
	if (to->local_port == DNS_PORT)
		return 1;
	if (to->family == V4)
		return bpf_ntohl(to->local_ip4) >> 24 == LOOPBACK_FIRST;
	return to->local_ip6[0] == 0 && to->local_ip6[1] == 0 && to->local_ip6[2] == 0 &&
	       to->local_ip6[3] == bpf_htonl(1);
}

// Always passes: a connection without the listener stays in the box's network, which no packet
// leaves.
SEC("sk_lookup")
int choose_socket(struct bpf_sk_lookup *to)
{
	__u32 first = 0;
	if (to->protocol != TCP || is_own(to))
		return SK_PASS;
	struct bpf_sock *socket = bpf_map_lookup_elem(&listener, &first);
	if (!socket)
		return SK_PASS;
	bpf_sk_assign(to, socket, 0);
	bpf_sk_release(socket);
	return SK_PASS;
}
