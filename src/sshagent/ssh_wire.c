// Owns the reading of SSH's binary forms.
#include "sshagent/sshagent.h"

#include <string.h>

bool wire_byte(struct wire *wire, uint8_t *ret_byte)
{
	if (wire->left < 1)
		return false;
	*ret_byte = wire->at[0];
	wire->at++;
	wire->left--;
	return true;
}

bool wire_number(struct wire *wire, uint32_t *ret_number)
{
	if (wire->left < 4)
		return false;
	*ret_number = (uint32_t)wire->at[0] << 24 | (uint32_t)wire->at[1] << 16 |
		      (uint32_t)wire->at[2] << 8 | (uint32_t)wire->at[3];
	wire->at += 4;
	wire->left -= 4;
	return true;
}

bool wire_string(struct wire *wire, struct wire_string *ret_string)
{
	struct wire copy = *wire;
	uint32_t length;
	if (!wire_number(&copy, &length) || length > copy.left)
		return false;
	*ret_string = (struct wire_string){ copy.at, length };
	wire->at = copy.at + length;
	wire->left = copy.left - length;
	return true;
}

bool wire_is(const struct wire_string *string, const char *text)
{
	return string->length == strlen(text) && memcmp(string->bytes, text, string->length) == 0;
}

bool wire_same(const struct wire_string *one, const struct wire_string *other)
{
	return one->length == other->length && memcmp(one->bytes, other->bytes, one->length) == 0;
}

void wire_put_number(uint8_t bytes[4], uint32_t number)
{
	for (int i = 0; i < 4; i++)
		bytes[i] = (uint8_t)(number >> (24 - 8 * i));
}
