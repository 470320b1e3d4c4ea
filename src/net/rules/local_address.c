// Owns the test whether an address is this host's: RTM_GETROUTE of rtnetlink(7). bind(2) and
// getsockname(2) would miss second addresses and whole local networks.
#include "net/rules/local_address.h"

#include <errno.h>
#include <linux/rtnetlink.h>
#include <string.h>
#include <sys/socket.h>

int local_open(void)
{
	return socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
}

enum parse local_parse(const uint8_t *bytes, size_t length, uint32_t sequence, unsigned *ret_type,
		       int *ret_error)
{
	struct nlmsghdr header;
	struct rtmsg route;
	if (length < sizeof(header))
		return PARSE_BAD;
	memcpy(&header, bytes, sizeof(header));
	if (header.nlmsg_len > length || header.nlmsg_len < sizeof(header) + sizeof(*ret_error))
		return PARSE_BAD;
	if (header.nlmsg_seq != sequence)
		return PARSE_MORE;
	*ret_type = RTN_UNSPEC;
	*ret_error = 0;
	if (header.nlmsg_type == NLMSG_ERROR) {
		int error;
		memcpy(&error, bytes + sizeof(header), sizeof(error));
		*ret_error = error < 0 && error >= -4095 ? -error : EBADMSG;
		return PARSE_DONE;
	}
	if (header.nlmsg_type != RTM_NEWROUTE || header.nlmsg_len < sizeof(header) + sizeof(route))
		return PARSE_BAD;
	memcpy(&route, bytes + sizeof(header), sizeof(route));
	*ret_type = route.rtm_type;
	return PARSE_DONE;
}

static enum local judge(unsigned type, int error)
{
	switch (error) {
	case 0:
		return type == RTN_UNICAST  ? LOCAL_NOT
		       : type == RTN_UNSPEC ? LOCAL_UNKNOWN
					    : LOCAL_HOST;
	case ENETUNREACH:
	case EHOSTUNREACH:
	case EACCES:
	case EINVAL: // RTN_BLACKHOLE
		return LOCAL_NOT;
	default:
		return LOCAL_UNKNOWN;
	}
}

struct local_question {
	struct nlmsghdr header;
	struct rtmsg route;
	struct rtattr attribute;
	uint8_t address[16];
};

enum local local_ask(int netlink, const struct address *address)
{
	static uint32_t sequence;
	bool v4 = address_is_v4(address);
	size_t size = v4 ? 4 : 16;
	struct local_question question = {
		.header = { .nlmsg_type = RTM_GETROUTE,
			    .nlmsg_flags = NLM_F_REQUEST,
			    .nlmsg_seq = ++sequence },
		.route = { .rtm_family = v4 ? AF_INET : AF_INET6,
			   .rtm_dst_len = (unsigned char)(8 * size) },
		.attribute = { .rta_type = RTA_DST, .rta_len = (unsigned short)RTA_LENGTH(size) },
	};
	memcpy(question.address, address->bytes + sizeof(address->bytes) - size, size);
	question.header.nlmsg_len = (uint32_t)(offsetof(struct local_question, address) + size);
	if (send(netlink, &question, question.header.nlmsg_len, 0) < 0)
		return LOCAL_UNKNOWN;
	for (;;) {
		uint8_t reply[4096];
		unsigned type;
		int error;
		ssize_t got = recv(netlink, reply, sizeof(reply), 0);
		enum parse result =
			got < 0 ? PARSE_BAD
				: local_parse(reply, (size_t)got, sequence, &type, &error);
		if (result != PARSE_MORE)
			return result == PARSE_DONE ? judge(type, error) : LOCAL_UNKNOWN;
	}
}
