// Owns the choice of a known word that is near a wrong one.
#include "text/words.h"

#include <string.h>

#include "base/base.h"

static bool is_swapped(const char *word, const char *known)
{
	size_t same = 0;
	while (word[same] && word[same] == known[same])
		same++;
	return word[same] && known[same] && word[same + 1] && word[same] == known[same + 1] &&
	       word[same + 1] == known[same] && str_equal(word + same + 2, known + same + 2);
}

static unsigned distance_of(const char *word, const char *known)
{
	size_t letters = strlen(word), length = strlen(known);
	if (letters >= 2 && str_starts(known, word))
		return 0;
	if (is_swapped(word, known))
		return 1;
	unsigned most = (unsigned)(letters < length ? letters : length) / 3;
	unsigned distance = str_distance(word, known, most);
	return distance > most ? ~0U : distance;
}

void near_consider(struct near *near, const char *known)
{
	if (!known)
		return;
	unsigned distance = distance_of(near->word, known);
	if (distance == ~0U)
		return;
	bool better = !near->found || distance < near->distance ||
		      (distance == 0 && near->distance == 0 && strlen(known) < strlen(near->found));
	if (!better)
		return;
	near->found = known;
	near->distance = distance;
}
