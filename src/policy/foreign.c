// Owns what is answered to words of other tools.
#include "policy/argv.h"

#include <string.h>

#include "base/str.h"

struct foreign {
	const char *words, *answer; // words: with blanks between them
};

static const struct foreign options[] = {
#define OPTION(words, answer) { words, answer },
#define VERB(words, answer)
#define PROFILE(words, answer)
#include "policy/foreign.def"
#undef OPTION
#undef VERB
#undef PROFILE
};
static const struct foreign verbs[] = {
#define OPTION(words, answer)
#define VERB(words, answer) { words, answer },
#define PROFILE(words, answer)
#include "policy/foreign.def"
#undef OPTION
#undef VERB
#undef PROFILE
};
static const struct foreign profiles[] = {
#define OPTION(words, answer)
#define VERB(words, answer)
#define PROFILE(words, answer) { words, answer },
#include "policy/foreign.def"
#undef OPTION
#undef VERB
#undef PROFILE
};

static const char *find(const struct foreign *rows, size_t count, const char *word, size_t length)
{
	for (const struct foreign *row = rows; row < rows + count; row++)
		if (str_has_word(row->words, word, length))
			return row->answer;
	return NULL;
}

const char *foreign_option(const char *word, size_t length)
{
	return find(options, sizeof(options) / sizeof(*options), word, length);
}

const char *foreign_verb(const char *word)
{
	return find(verbs, sizeof(verbs) / sizeof(*verbs), word, strlen(word));
}

const char *foreign_profile(const char *word)
{
	return find(profiles, sizeof(profiles) / sizeof(*profiles), word, strlen(word));
}
