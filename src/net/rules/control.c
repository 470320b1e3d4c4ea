// Owns the size and the checks of a worker's messages.
#include "net/rules/control.h"

#include <stddef.h>
#include <string.h>

#include "base/base.h"

const char *const conn_verdicts[VERDICTS] = { "allowed", "denied", "failed" };

bool record_alike(const struct conn_record *left, const struct conn_record *right)
{
	return left->verdict == right->verdict && left->port == right->port &&
	       host_equal(&left->host, &right->host) && str_equal(left->why, right->why) &&
	       str_equal(left->rule, right->rule);
}

static bool is_text(const char *text, size_t size)
{
	size_t length = strnlen(text, size);
	for (size_t i = 0; i < length; i++)
		if (text[i] < ' ' || text[i] > '~')
			return false;
	return length < size;
}

static bool is_bool(const bool *value)
{
	return *(const unsigned char *)value <= 1;
}

static bool is_host(const struct host *host)
{
	struct host again;
	size_t length = strnlen(host->name, sizeof(host->name));
	if (host->kind != HOST_NAME || length == 0)
		return host->kind == HOST_NAME || host->kind == HOST_ADDRESS;
	return length < sizeof(host->name) && host_parse(host->name, length, &again) &&
	       host_equal(&again, host);
}

static bool is_record(const struct conn_record *record, int64_t now)
{
	if (!is_host(&record->host) || (unsigned)record->verdict > VERDICT_FAILED ||
	    (unsigned)record->fix > FIX_ECH || !is_text(record->rule, sizeof(record->rule)) ||
	    !is_text(record->why, sizeof(record->why)) || !is_bool(&record->explicit_proxy) ||
	    !is_bool(&record->dialled))
		return false;
	return record->time >= 0 && record->time <= now;
}

size_t event_size(const struct worker_event *event)
{
	return offsetof(struct worker_event, records) + event->count * sizeof(*event->records);
}

bool event_is_good(const struct worker_event *event, int64_t now)
{
	switch (event->kind) {
	case EVENT_RECORD:
		for (unsigned i = 0; i < event->count && i < RECORDS_AT_ONCE; i++)
			if (!is_record(&event->records[i], now))
				return false;
		return event->count <= RECORDS_AT_ONCE;
	case EVENT_NEW:
	case EVENT_ASK:
		return event->count == 1 && is_record(&event->records[0], now);
	case EVENT_FILES:
	case EVENT_SOCKETS:
	case EVENT_UNHEARD:
		return event->count == 0;
	}
	return false;
}
