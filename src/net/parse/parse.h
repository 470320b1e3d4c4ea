// What a parser of hostile bytes answers.
#pragma once

enum parse {
	PARSE_MORE, // not yet whole: read on
	PARSE_BAD,  // never: say so and close
	PARSE_DONE,
};
