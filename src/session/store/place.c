// Owns the names in a layer.
#include "session/store/place.h"

#include <stdio.h>

void place_of_root(char text[PLACE_MAX], const char *id, bool own, unsigned root)
{
	snprintf(text, PLACE_MAX, own ? "%s/" PLACE_OWN "/%u" : "%s/%u", id, root);
}

void place_of_work(char text[PLACE_MAX], const char *id, bool own, unsigned root)
{
	if (own)
		snprintf(text, PLACE_MAX, "%s/w" PLACE_OWN, id);
	else
		snprintf(text, PLACE_MAX, "%s/w%u", id, root);
}
