// What the two processes do, from descriptor 0 to descriptor 1, until one of them ends.
#pragma once

#include "lsp/files.h"

struct lsp_record;

struct relay {
	struct lsp_files files;
	struct lsp_record *record; // shared with the other one and the supervisor
};

void relay_editor(struct relay *relay);
void relay_server(struct relay *relay);
