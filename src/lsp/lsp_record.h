// What the two processes leave for the supervisor, in memory that they share.
#pragma once

#include <stdint.h>

#include "lsp/files.h"
#include "lsp/message.h"

enum { LSP_REFUSALS_MAX = 128 };

struct lsp_record {
	char initialize[LSP_ID_MAX +
			1]; // by the editor's side, before the server sees that request
	unsigned count;
	uint64_t lost; // refusals that have no room
	struct lsp_refusal {
		enum lsp_kind kind;
		char name[400], why[100];
	} refusals[LSP_REFUSALS_MAX];
};

// What the two processes do, from descriptor 0 to descriptor 1, until one of them ends.
struct relay {
	struct lsp_files files;
	struct lsp_record *record; // shared with the other one and the supervisor
};

void relay_editor(struct relay *relay);
void relay_server(struct relay *relay);
