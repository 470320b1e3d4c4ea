// Owns the table of synthetic addresses. One process writes it.
#include "net/setup/synthetic.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/str.h"
#include "net/setup/netns.h"

enum { RESERVED = 256 };

static uint32_t number_of(const struct address *address)
{
	const uint8_t *b = address->bytes + 12;
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

static uint32_t base(void)
{
	return (uint32_t)198 << 24 | (uint32_t)18 << 16;
}

bool names_is_synthetic(const struct address *address)
{
	return address_is_v4(address) && number_of(address) >> NAMES_BITS == base() >> NAMES_BITS;
}

bool names_is_own(const struct address *address)
{
	uint8_t own[16];
	if (address_is_v4(address))
		return number_of(address) == base() + 1; // NETNS_OWN_V4
	return inet_pton(AF_INET6, NETNS_OWN_V6, own) == 1 &&
	       memcmp(own, address->bytes, sizeof(own)) == 0;
}

bool names_address(struct shared *shared, const char *name, struct address *ret)
{
	uint32_t mask = (1U << NAMES_BITS) - 1, slot = (uint32_t)str_hash(name) & mask;
	for (;; slot = (slot + 1) & mask) {
		struct name *entry = &shared->names[slot];
		if (slot < RESERVED)
			continue;
		if (!atomic_load_explicit(&entry->set, memory_order_acquire)) {
			if (atomic_load(&shared->name_count) == NAMES_MAX)
				return false;
			memcpy(entry->text, name, strlen(name) + 1);
			atomic_fetch_add(&shared->name_count, 1);
			atomic_store_explicit(&entry->set, true, memory_order_release);
			break;
		}
		if (str_equal(entry->text, name))
			break;
	}
	struct in_addr address = { htonl(base() + slot) };
	memset(ret->bytes, 0, 10);
	memset(ret->bytes + 10, 0xff, 2);
	memcpy(ret->bytes + 12, &address, 4);
	return true;
}

const char *names_find(const struct shared *shared, const struct address *address)
{
	const struct name *entry = &shared->names[number_of(address) - base()];
	return atomic_load_explicit(&entry->set, memory_order_acquire) ? entry->text : NULL;
}
