// Owns the table of synthetic addresses. One process writes it.
#include "net/setup/netns.h"

#include <arpa/inet.h>
#include <string.h>

#include "base/base.h"

enum { RESERVED = 256, PLACES_OF_A_NAME = 64 };
static const uint32_t base = NETNS_OWN_V4_NUMBER - 1;

static uint32_t number_of(const struct address *address)
{
	const uint8_t *b = address->bytes + 12;
	return (uint32_t)b[0] << 24 | (uint32_t)b[1] << 16 | (uint32_t)b[2] << 8 | b[3];
}

bool names_is_synthetic(const struct address *address)
{
	return address_is_v4(address) && number_of(address) >> NAMES_BITS == base >> NAMES_BITS;
}

bool names_is_own(const struct address *address)
{
	uint8_t own[16];
	if (address_is_v4(address))
		return number_of(address) == base + 1; // NETNS_OWN_V4
	return inet_pton(AF_INET6, NETNS_OWN_V6, own) == 1 &&
	       memcmp(own, address->bytes, sizeof(own)) == 0;
}

static struct name *worse(struct name *left, struct name *right)
{
	if (!left || left->known != right->known)
		return !left || left->known ? right : left;
	return left->asked < right->asked ? left : right;
}

bool names_address(struct shared *shared, const char *name, bool known, struct address *ret)
{
	uint32_t mask = (1U << NAMES_BITS) - 1, first = (uint32_t)str_hash(name) & mask;
	struct name *entry = NULL, *loser = NULL;
	for (uint32_t slot = first, i = 0; i < PLACES_OF_A_NAME && !entry;
	     slot = (slot + 1) & mask) {
		struct name *place = &shared->names[slot];
		if (slot < RESERVED)
			continue;
		i++;
		if (!place->asked || str_equal(place->text, name))
			entry = place;
		else if (!place->open)
			loser = worse(loser, place);
	}
	entry = entry ? entry : loser;
	if (!entry)
		return false;
	memcpy(entry->text, name, strlen(name) + 1);
	entry->known = known;
	entry->asked = ++shared->asked;
	struct in_addr address = { htonl(base + (uint32_t)(entry - shared->names)) };
	*ret = address_v4(&address);
	return true;
}

uint32_t names_enter(struct shared *shared, const struct address *address,
		     char ret_name[HOST_NAME_BYTES_MAX + 1])
{
	uint32_t slot = number_of(address) - base;
	struct name *entry = &shared->names[slot];
	if (!entry->asked)
		return 0;
	entry->open++;
	memcpy(ret_name, entry->text, sizeof(entry->text));
	return slot;
}

void names_leave(struct shared *shared, uint32_t *place)
{
	if (*place)
		shared->names[*place].open--;
	*place = 0;
}
