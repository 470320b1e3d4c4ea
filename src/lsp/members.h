// The members of messages that say what an editor does with a value, and where they stand. Pure.
#pragma once

#include "text/jsonwalk.h"

enum member {
	KEY_OTHER,
	KEY_METHOD,
	KEY_ID,
	KEY_PARAMS,
	KEY_RESULT,
	KEY_CAPABILITIES,
	KEY_PROVIDER,
	KEY_COMMANDS,
	KEY_CHANGES,
	KEY_DOCUMENT_CHANGES,
	KEY_DATA,
	KEY_COMMAND,
	KEY_LINK,
	KEY_URI,
	KEY_OTHER_URI,
	KEY_EXTERNAL,
	KEY_PROCESS,
};

// Where a value stands: what holds it.
enum standing {
	IN_OTHER,
	IN_MESSAGE,
	IN_PARAMS,
	IN_RESULT,
	IN_CAPABILITIES,
	IN_PROVIDER,
	IN_COMMANDS,
	IN_CHANGES,          // its names are URIs
	IN_DOCUMENT_CHANGES, // at any depth
	IN_DATA,             // at any depth: only the server reads it
};

// Of a value its name, as readers have it that take any case.
enum member member_of(const struct json_step *step);
// Where the values in it stand.
enum standing member_inside(enum standing around, enum member member, enum walk_kind kind);
