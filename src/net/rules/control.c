// Owns what both sides of the control socket know of its messages.
#include "net/rules/control.h"

#include "base/str.h"

bool record_alike(const struct conn_record *left, const struct conn_record *right)
{
	return left->verdict == right->verdict && left->port == right->port &&
	       host_equal(&left->host, &right->host) && str_equal(left->why, right->why) &&
	       str_equal(left->rule, right->rule);
}
