// What a parser of hostile bytes answers.
//
// The room net/parse owns the readers of protocols, on which nothing depends but their bytes: pure
// functions of (bytes, length), each with a target in tests/fuzz. Uses: base text. Begin with
// opening.h: which protocol it is.
#pragma once

enum parse {
	PARSE_MORE, // not yet whole: read on
	PARSE_BAD,  // never: say so and close
	PARSE_DONE,
};
