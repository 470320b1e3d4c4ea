// Owns the sockets that make a connection wait at its SYN: a listener's filter drops the SYN, a raw
// socket gets it first (net/proxy/syn.c).
#include "net/setup/netns.h"

#include <errno.h>
#include <linux/filter.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

#include "base/sys.h"

enum { FLAGS_AT = 13, SYN = 2, SYN_ACK = 0x12, BYTES = 256, REFUSED = 254, TAKEN = 255 };
#define LOAD(size, at)     BPF_STMT(BPF_LD | (size) | BPF_ABS, (uint32_t)(at))
#define LOAD_MARK          LOAD(BPF_W, SKF_AD_OFF + SKF_AD_MARK)
#define ONLY(bits)         BPF_STMT(BPF_ALU | BPF_AND | BPF_K, bits)
#define ANSWER(value)      BPF_STMT(BPF_RET | BPF_K, value)
#define IS(value, yes, no) BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, yes, no)
#define COUNT(list)        (sizeof(list) / sizeof(*(list)))

static long attach(long fd, const struct sock_filter *code, size_t length)
{
	struct sock_fprog program = { .len = (unsigned short)length };
	memcpy(&program.filter, &code, sizeof(code));
	return sys_raw5(SYS_setsockopt, fd, SOL_SOCKET, SO_ATTACH_FILTER, (long)&program,
			sizeof(program));
}

static void aim(struct sock_filter *code, unsigned refused)
{
	for (unsigned i = 0; i < refused; i++) {
		uint8_t *jumps[] = { &code[i].jt, &code[i].jf };
		for (int j = 0; j < 2; j++)
			if (*jumps[j] >= REFUSED)
				*jumps[j] = (uint8_t)(refused - i - 1 + (*jumps[j] == TAKEN));
	}
}

// Takes SYNs without mark. The TCP header follows the IPv4 header. On the loopback the port
// decides.
static const struct sock_filter v4[] = {
	LOAD_MARK,
	IS(NETNS_MARK, REFUSED, 0),
	BPF_STMT(BPF_LDX | BPF_B | BPF_MSH, 0),
	BPF_STMT(BPF_LD | BPF_B | BPF_IND, FLAGS_AT),
	ONLY(SYN_ACK),
	IS(SYN, 0, REFUSED),
	LOAD(BPF_W, 16),
	IS(NETNS_OWN_V4_NUMBER, REFUSED, 0),
	LOAD(BPF_B, 16),
	IS(127, 0, TAKEN),
	BPF_STMT(BPF_LD | BPF_H | BPF_IND, 2),
};
// IPv6 packets come without their header. The first and last word of an address identify ::1.
enum { V6_TO = SKF_NET_OFF + 24 };
static const struct sock_filter v6[] = {
	LOAD_MARK,       IS(NETNS_MARK, REFUSED, 0), LOAD(BPF_B, FLAGS_AT),
	ONLY(SYN_ACK),   IS(SYN, 0, REFUSED),        LOAD(BPF_W, V6_TO),
	IS(0, 0, TAKEN), LOAD(BPF_W, V6_TO + 12),    IS(1, 0, TAKEN),
	LOAD(BPF_H, 2),
};

long hold_open(int family, const uint16_t *ports, unsigned port_count)
{
	struct sock_filter code[COUNT(v6) + HOLD_PORTS_MAX + 2];
	unsigned used = family == AF_INET ? COUNT(v4) : COUNT(v6);
	memcpy(code, family == AF_INET ? v4 : v6, used * sizeof(*code));
	for (unsigned i = 0; i < port_count; i++)
		code[used++] = (struct sock_filter)IS(ports[i], TAKEN, 0);
	code[used++] = (struct sock_filter)ANSWER(0);
	code[used++] = (struct sock_filter)ANSWER(BYTES);
	aim(code, used - 2);
	int mark = NETNS_MARK;
	long fd = sys_raw(SYS_socket, family, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_TCP);
	long result = fd < 0 ? fd : attach(fd, code, used);
	if (result >= 0)
		result = sys_raw5(SYS_setsockopt, fd, SOL_SOCKET, SO_MARK, (long)&mark,
				  sizeof(mark));
	if (fd >= 0 && result < 0)
		sys_raw(SYS_close, fd, 0, 0);
	return result < 0 ? result : fd;
}

// Drops SYNs without mark, except to NETNS_OWN_V4. In IPv6 the compared bytes are part of the
// source address.
long hold_listener(int listener)
{
	static const struct sock_filter code[] = {
		LOAD(BPF_B, FLAGS_AT),
		ONLY(SYN_ACK),
		IS(SYN, 0, 4),
		LOAD_MARK,
		IS(NETNS_MARK, 2, 0),
		LOAD(BPF_W, SKF_NET_OFF + 16),
		IS(NETNS_OWN_V4_NUMBER, 0, 1),
		ANSWER(UINT32_MAX),
		ANSWER(0),
	};
	return attach(listener, code, COUNT(code));
}
