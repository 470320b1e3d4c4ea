// Writes the netlink messages of the box's network. libnl-3 makes them at build time, because they
// are constant.
#include <arpa/inet.h>
#include <linux/if_addr.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/rtnetlink.h>
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <net/if.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gen.h"
#include "net/setup/netns.h"

enum { LOOPBACK_INDEX = 1, BUFFER = 8192 };

static unsigned char bytes[BUFFER];
static size_t used;

static void append(struct nl_msg *message)
{
	struct nlmsghdr *header = nlmsg_hdr(message);
	memcpy(bytes + used, header, header->nlmsg_len);
	used += NLMSG_ALIGN(header->nlmsg_len);
	nlmsg_free(message);
}

static void print(const char *name)
{
	printf("const unsigned char %s[] = {", name);
	for (size_t i = 0; i < used; i++)
		printf("%s%u,", i % 24 ? "" : "\n\t", bytes[i]);
	printf("\n};\nconst unsigned %s_size = %zu;\n", name, used);
	used = 0;
}

static struct nl_msg *message_of(int type, uint32_t sequence, const void *body, size_t size,
				 int flags)
{
	struct nl_msg *message = nlmsg_alloc();
	void *at = message ? nlmsg_data(nlmsg_put(message, 0, sequence, type, (int)size,
						  NLM_F_REQUEST | flags))
			   : NULL;
	if (!at)
		exit(1);
	memcpy(at, body, size);
	return message;
}

// The kernel acknowledges only the last message, but reports an error of each.
enum { LINKS_LAST = 5 };
static struct nl_msg *route_message(int type, uint32_t sequence, const void *body, size_t size,
				    int flags)
{
	return message_of(type, sequence, body, size,
			  (sequence == LINKS_LAST ? NLM_F_ACK : 0) | flags);
}

static void add_address(uint32_t sequence, int family, const char *text, unsigned char prefix)
{
	unsigned char address[16];
	int size = family == AF_INET ? 4 : 16;
	struct ifaddrmsg body = { .ifa_family = (unsigned char)family,
				  .ifa_prefixlen = prefix,
				  .ifa_flags = IFA_F_NODAD,
				  .ifa_scope = RT_SCOPE_UNIVERSE,
				  .ifa_index = LOOPBACK_INDEX };
	struct nl_msg *message =
		route_message(RTM_NEWADDR, sequence, &body, sizeof(body), NLM_F_CREATE);
	inet_pton(family, text, address);
	nla_put(message, IFA_LOCAL, size, address);
	nla_put(message, IFA_ADDRESS, size, address);
	append(message);
}

// Makes every address local. The preferred source keeps a connect() to an unused port from
// connecting to itself.
static void add_route(uint32_t sequence, int family, const char *source)
{
	unsigned char address[16];
	struct rtmsg body = { .rtm_family = (unsigned char)family,
			      .rtm_table = RT_TABLE_LOCAL,
			      .rtm_protocol = RTPROT_STATIC,
			      .rtm_scope = RT_SCOPE_HOST,
			      .rtm_type = RTN_LOCAL };
	struct nl_msg *message =
		route_message(RTM_NEWROUTE, sequence, &body, sizeof(body), NLM_F_CREATE);
	inet_pton(family, source, address);
	nla_put(message, RTA_PREFSRC, family == AF_INET ? 4 : 16, address);
	nla_put_u32(message, RTA_OIF, LOOPBACK_INDEX);
	append(message);
}

static void links(void)
{
	struct ifinfomsg up = { .ifi_index = LOOPBACK_INDEX,
				.ifi_flags = IFF_UP,
				.ifi_change = IFF_UP };
	append(route_message(RTM_NEWLINK, 1, &up, sizeof(up), 0));
	add_address(2, AF_INET, NETNS_OWN_V4, 32);
	add_route(3, AF_INET, NETNS_OWN_V4);
	add_address(4, AF_INET6, NETNS_OWN_V6, 128);
	add_route(LINKS_LAST, AF_INET6, NETNS_OWN_V6);
	print("netns_messages");
}

static struct nl_msg *table_message(int type, uint32_t sequence, int flags)
{
	struct nfgenmsg body = { .nfgen_family = NFPROTO_INET, .version = NFNETLINK_V0 };
	if (type == NFNL_MSG_BATCH_BEGIN || type == NFNL_MSG_BATCH_END)
		body = (struct nfgenmsg){ .res_id = htons(NFNL_SUBSYS_NFTABLES) };
	else
		type |= NFNL_SUBSYS_NFTABLES << 8;
	return message_of(type, sequence, &body, sizeof(body), flags);
}

static struct nlattr *expression, *expression_data;

static void begin(struct nl_msg *message, const char *name)
{
	expression = nla_nest_start(message, NFTA_LIST_ELEM);
	nla_put_string(message, NFTA_EXPR_NAME, name);
	expression_data = nla_nest_start(message, NFTA_EXPR_DATA);
}

static void end(struct nl_msg *message)
{
	nla_nest_end(message, expression_data);
	nla_nest_end(message, expression);
}

static void put32(struct nl_msg *message, int type, uint32_t value)
{
	nla_put_u32(message, type, htonl(value));
}

static void load_meta(struct nl_msg *message, uint32_t key)
{
	begin(message, "meta");
	put32(message, NFTA_META_KEY, key);
	put32(message, NFTA_META_DREG, NFT_REG_1);
	end(message);
}

static void load_payload(struct nl_msg *message, uint32_t base, uint32_t offset, uint32_t length)
{
	begin(message, "payload");
	put32(message, NFTA_PAYLOAD_DREG, NFT_REG_1);
	put32(message, NFTA_PAYLOAD_BASE, base);
	put32(message, NFTA_PAYLOAD_OFFSET, offset);
	put32(message, NFTA_PAYLOAD_LEN, length);
	end(message);
}

static void put_data(struct nl_msg *message, int type, const void *data, int length)
{
	struct nlattr *nest = nla_nest_start(message, type);
	nla_put(message, NFTA_DATA_VALUE, length, data);
	nla_nest_end(message, nest);
}

static void compare(struct nl_msg *message, uint32_t operation, const void *data, int length)
{
	begin(message, "cmp");
	put32(message, NFTA_CMP_SREG, NFT_REG_1);
	put32(message, NFTA_CMP_OP, operation);
	put_data(message, NFTA_CMP_DATA, data, length);
	end(message);
}

// Computes register & mask.
static void keep_bits(struct nl_msg *message, const void *mask, int length)
{
	static const unsigned char zero[16];
	begin(message, "bitwise");
	put32(message, NFTA_BITWISE_SREG, NFT_REG_1);
	put32(message, NFTA_BITWISE_DREG, NFT_REG_1);
	put32(message, NFTA_BITWISE_LEN, (uint32_t)length);
	put_data(message, NFTA_BITWISE_MASK, mask, length);
	put_data(message, NFTA_BITWISE_XOR, zero, length);
	end(message);
}

// Redirects TCP SYN without ACK to the listener, except to loopback.
static void add_rule(uint32_t sequence, unsigned char family, int flags)
{
	enum { TCP_FLAGS = 13, SYN = 2, SYN_ACK = 0x12, V4_DESTINATION = 16, V6_DESTINATION = 24 };
	static const unsigned char tcp = IPPROTO_TCP, syn = SYN, syn_ack = SYN_ACK;
	static const unsigned char v4_loopback = 127, v6_loopback[16] = { [15] = 1 };
	uint16_t port = htons(NETNS_PORT);
	struct nl_msg *message =
		table_message(NFT_MSG_NEWRULE, sequence, NLM_F_CREATE | NLM_F_APPEND | flags);
	nla_put_string(message, NFTA_RULE_TABLE, "sbx");
	nla_put_string(message, NFTA_RULE_CHAIN, "out");
	struct nlattr *list = nla_nest_start(message, NFTA_RULE_EXPRESSIONS);
	load_meta(message, NFT_META_NFPROTO);
	compare(message, NFT_CMP_EQ, &family, 1);
	load_meta(message, NFT_META_L4PROTO);
	compare(message, NFT_CMP_EQ, &tcp, 1);
	bool v4 = family == NFPROTO_IPV4;
	int length = v4 ? 1 : (int)sizeof(v6_loopback);
	load_payload(message, NFT_PAYLOAD_NETWORK_HEADER, v4 ? V4_DESTINATION : V6_DESTINATION,
		     (uint32_t)length);
	compare(message, NFT_CMP_NEQ, v4 ? &v4_loopback : v6_loopback, length);
	load_payload(message, NFT_PAYLOAD_TRANSPORT_HEADER, TCP_FLAGS, 1);
	keep_bits(message, &syn_ack, 1);
	compare(message, NFT_CMP_EQ, &syn, 1);
	begin(message, "immediate");
	put32(message, NFTA_IMMEDIATE_DREG, NFT_REG_1);
	put_data(message, NFTA_IMMEDIATE_DATA, &port, sizeof(port));
	end(message);
	begin(message, "tproxy");
	put32(message, NFTA_TPROXY_FAMILY, family);
	put32(message, NFTA_TPROXY_REG_PORT, NFT_REG_1);
	end(message);
	nla_nest_end(message, list);
	append(message);
}

static void redirection(void)
{
	enum { PRIORITY_MANGLE = -150 };
	append(table_message(NFNL_MSG_BATCH_BEGIN, 0, 0));
	struct nl_msg *message = table_message(NFT_MSG_NEWTABLE, 1, NLM_F_CREATE);
	nla_put_string(message, NFTA_TABLE_NAME, "sbx");
	append(message);
	message = table_message(NFT_MSG_NEWCHAIN, 2, NLM_F_CREATE);
	nla_put_string(message, NFTA_CHAIN_TABLE, "sbx");
	nla_put_string(message, NFTA_CHAIN_NAME, "out");
	nla_put_string(message, NFTA_CHAIN_TYPE, "filter");
	struct nlattr *hook = nla_nest_start(message, NFTA_CHAIN_HOOK);
	put32(message, NFTA_HOOK_HOOKNUM, NF_INET_PRE_ROUTING);
	put32(message, NFTA_HOOK_PRIORITY, (uint32_t)PRIORITY_MANGLE);
	nla_nest_end(message, hook);
	append(message);
	add_rule(3, NFPROTO_IPV4, 0);
	add_rule(4, NFPROTO_IPV6, NLM_F_ACK);
	append(table_message(NFNL_MSG_BATCH_END, 5, 0));
	print("redirect_messages");
}

void gen_network(void)
{
	printf("#include \"net/setup/netns.h\"\n\n");
	links();
	redirection();
}
