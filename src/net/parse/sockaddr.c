// Owns the conversion between the kernel's socket addresses and struct address.
#include "net/parse/parse.h"

#include <netinet/in.h>
#include <string.h>

socklen_t sockaddr_fill(const struct address *address, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *)ret;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)ret;
	memset(ret, 0, sizeof(*ret));
	if (address_is_v4(address)) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		memcpy(&v4->sin_addr, address->bytes + 12, 4);
		return sizeof(*v4);
	}
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	memcpy(&v6->sin6_addr, address->bytes, 16);
	return sizeof(*v6);
}

void sockaddr_read(const struct sockaddr_storage *from, struct address *ret_address,
		   uint16_t *ret_port)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *)from;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)from;
	if (from->ss_family == AF_INET) {
		*ret_address = address_v4(&v4->sin_addr);
		*ret_port = ntohs(v4->sin_port);
	} else {
		memcpy(ret_address->bytes, &v6->sin6_addr, 16);
		*ret_port = ntohs(v6->sin6_port);
	}
}

void address_interleave(const struct address *addresses, unsigned count, struct address *to)
{
	bool used[ADDRESSES_MAX] = { false };
	bool v4 = count > 0 && address_is_v4(&addresses[0]);
	for (unsigned done = 0; done < count; done++, v4 = !v4) {
		unsigned pick = count;
		for (unsigned i = 0; i < count && pick == count; i++)
			if (!used[i] && address_is_v4(&addresses[i]) == v4)
				pick = i;
		for (unsigned i = 0; i < count && pick == count; i++)
			if (!used[i])
				pick = i;
		used[pick] = true;
		to[done] = addresses[pick];
	}
}
