// Owns the names in a layer.
#include "base/place.h"

#include <stdio.h>

void place_of_root(char text[PLACE_MOST], const char *id, bool own, unsigned root)
{
	snprintf(text, PLACE_MOST, own ? "%s/" PLACE_OWN "/%u" : "%s/%u", id, root);
}

void place_of_work(char text[PLACE_MOST], const char *id, bool own, unsigned root)
{
	if (own)
		snprintf(text, PLACE_MOST, "%s/w" PLACE_OWN, id);
	else
		snprintf(text, PLACE_MOST, "%s/w%u", id, root);
}
