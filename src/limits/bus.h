// Messages of D-Bus, as far as a scope needs them (the D-Bus specification, "Message Protocol").
// Pure.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BUS_MESSAGE_MAX = 2048 };

struct bus_message {
	uint8_t bytes[BUS_MESSAGE_MAX];
	size_t used;
	bool full; // something did not fit: must not be sent
};

// A call: destination may be NULL where there is no bus between.
void bus_call(struct bus_message *message, uint32_t serial, const char *destination,
	      const char *path, const char *interface, const char *member, const char *signature);
void bus_string(struct bus_message *message, const char *text);
void bus_number(struct bus_message *message, uint32_t number);

// An array of (name, value) or other things: what bus_open returns is given to bus_close.
size_t bus_open(struct bus_message *message);
void bus_close(struct bus_message *message, size_t array);
void bus_property_string(struct bus_message *message, const char *name, const char *value);
void bus_property_number(struct bus_message *message, const char *name, uint64_t value);
void bus_property_pid(struct bus_message *message, const char *name, uint32_t pid);

// Sets the length of the body. Call it last.
void bus_finish(struct bus_message *message);

struct bus_reply {
	size_t used; // bytes of the message
	enum bus_kind { BUS_RETURN = 2, BUS_ERROR = 3, BUS_OTHER = 0 } kind;
	uint32_t serial; // of the call that is answered
	char error[128]; // its name, printable
};

// Takes one message apart: 1 when there is one, 0 when more bytes are needed, -1 when it is none.
int bus_reply(const uint8_t *bytes, size_t length, struct bus_reply *ret_reply);
