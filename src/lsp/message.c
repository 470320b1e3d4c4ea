// Owns the judgement of a server's messages (LSP 3.17; sections are named by their titles).
#include "lsp/lsp.h"

#include <string.h>

#include "base/base.h"
#include "text/json.h"

// --- tables --------------------------------------------------------------------------------------

// What a server may send of itself. All else is refused: what an editor does with it nobody knows.
static const struct {
	const char *name;
	bool request;
} methods[] = {
	{ "window/showMessageRequest", true },
	{ "window/showDocument", true },
	{ "window/workDoneProgress/create", true },
	{ "client/registerCapability", true },
	{ "client/unregisterCapability", true },
	{ "workspace/workspaceFolders", true },
	{ "workspace/configuration", true },
	{ "workspace/applyEdit", true },
	{ "workspace/codeLens/refresh", true },
	{ "workspace/semanticTokens/refresh", true },
	{ "workspace/inlayHint/refresh", true },
	{ "workspace/inlineValue/refresh", true },
	{ "workspace/diagnostic/refresh", true },
	{ "workspace/foldingRange/refresh", true }, // 3.18
	{ "$/progress", false },
	{ "$/logTrace", false },
	{ "$/cancelRequest", false },
	{ "window/showMessage", false },
	{ "window/logMessage", false },
	{ "telemetry/event", false },
	{ "textDocument/publishDiagnostics", false },
};

// Commands of editors that show something at the cursor, and do nothing else.
static const char *const harmless[] = {
	"editor.action.triggerSuggest",
	"editor.action.triggerParameterHints",
	"editor.action.showReferences",
	"editor.action.rename",
};

// --- the walk ------------------------------------------------------------------------------------

struct judge {
	struct lsp_message *message;
	enum standing around[JSON_WALK_DEPTH_MAX + 2]; // by depth
	unsigned methods, ids, uris;
	unsigned providers, shows, externals; // members of these names, where they belong
	bool refused, external, whole;
	char method[64];
	char show[LSP_NAME_MAX];
	size_t fresh; // bytes of commands behind those that are known
};

// The first thing that is wrong decides what becomes of the message; each is reported.
static void refuse(struct judge *judge, enum refused_kind kind, const char *name, const char *why)
{
	struct lsp_message *message = judge->message;
	message->refused(message->owner, kind, name, why);
	if (judge->refused)
		return;
	judge->refused = true;
	message->why = why;
	size_t length = strnlen(name, sizeof(message->name) - 1);
	memcpy(message->name, name, length);
	message->name[length] = '\0';
}

// True when the whole of it is in `name`, without a NUL.
static bool decode(const char *raw, size_t length, char name[LSP_NAME_MAX])
{
	size_t whole = json_decode(raw, length, name, LSP_NAME_MAX);
	return whole < LSP_NAME_MAX && strlen(name) == whole;
}

static void check_edit(struct judge *judge, const char *raw, size_t length)
{
	char name[LSP_NAME_MAX], path[PATH_MAX];
	const char *why = NULL;
	bool whole = decode(raw, length, name);
	if (++judge->uris > LSP_URIS_MAX)
		why = "the message names too many files";
	else if (!whole || !uri_path(name, strlen(name), path))
		why = "it is not a plain path of a file";
	else
		why = judge->message->refuses_edit(judge->message->owner, path);
	if (why && judge->uris <= LSP_URIS_MAX + 1)
		refuse(judge, REFUSED_EDIT, whole ? name : "(a long name)", why);
}

static bool is_known(const struct lsp_known *known, const char *name)
{
	for (size_t at = 0; at < known->used; at += strlen(known->commands + at) + 1)
		if (str_equal(known->commands + at, name))
			return true;
	for (size_t i = 0; i < sizeof(harmless) / sizeof(*harmless); i++)
		if (str_equal(harmless[i], name))
			return true;
	return name[0] == '\0'; // of a lens without a command
}

// A name of as many bytes that no editor has, so that all else of the message stays.
static void check_command(struct judge *judge, size_t start, size_t end)
{
	static const char instead[] = "sbx.refused";
	struct lsp_message *message = judge->message;
	char name[LSP_NAME_MAX];
	bool whole = decode(message->text + start, end - start, name);
	if (whole && is_known(message->known, name))
		return;
	message->refused(message->owner, REFUSED_COMMAND, whole ? name : "(a long name)",
			 "the server does not carry it out itself");
	for (size_t i = 0; start + i < end; i++)
		message->text[start + i] = i < strlen(instead) ? instead[i] : '_';
}

static void check_link(struct judge *judge, const char *raw, size_t length)
{
	char name[LSP_NAME_MAX];
	json_decode(raw, length, name, sizeof(name));
	if (!uri_is_plain_link(name, strlen(name)))
		refuse(judge, REFUSED_LINK, name, "it does not lead to a file or to the web");
}

static void add_command(struct judge *judge, const char *raw, size_t length)
{
	struct lsp_known *known = judge->message->known;
	char name[LSP_NAME_MAX];
	size_t used = known->used + judge->fresh;
	if (known->complete || !decode(raw, length, name) ||
	    strlen(name) >= sizeof(known->commands) - used)
		return;
	memcpy(known->commands + used, name, strlen(name) + 1);
	judge->fresh += strlen(name) + 1;
}

static void take_id(struct judge *judge, const struct json_step *step)
{
	struct lsp_message *message = judge->message;
	size_t quote = step->kind == WALK_STRING, length = step->end - step->start + 2 * quote;
	judge->ids++;
	if (step->kind == WALK_OBJECT || step->kind == WALK_ARRAY || length > LSP_ID_MAX) {
		refuse(judge, REFUSED_MALFORMED, "(its id)", "it is not an id");
		return;
	}
	memcpy(message->id, message->text + step->start - quote, length);
	message->id[length] = '\0';
}

static void take_method(struct judge *judge, const struct json_step *step)
{
	judge->methods++;
	if (step->kind != WALK_STRING)
		refuse(judge, REFUSED_MALFORMED, "(its method)", "it is not a method");
	else
		json_decode(judge->message->text + step->start, step->end - step->start,
			    judge->method, sizeof(judge->method));
}

static void take_show(struct judge *judge, const struct json_step *step)
{
	judge->shows++;
	judge->whole = step->kind == WALK_STRING && decode(judge->message->text + step->start,
							   step->end - step->start, judge->show);
}

// Members that stand in a certain place.
static void take_placed(struct judge *judge, const struct json_step *step, enum standing around,
			enum member key)
{
	const char *text = judge->message->text;
	if (around == IN_MESSAGE && key == KEY_ID)
		take_id(judge, step);
	if (around == IN_MESSAGE && key == KEY_METHOD)
		take_method(judge, step);
	if (around == IN_PARAMS && key == KEY_URI)
		take_show(judge, step);
	if (around == IN_PARAMS && key == KEY_EXTERNAL) {
		judge->externals++;
		judge->external = step->end - step->start != strlen("false") ||
				  strncmp(text + step->start, "false", strlen("false")) != 0;
	}
	if ((around == IN_MESSAGE && key == KEY_RESULT) ||
	    (around == IN_RESULT && key == KEY_CAPABILITIES) ||
	    (around == IN_CAPABILITIES && key == KEY_PROVIDER) ||
	    (around == IN_PROVIDER && key == KEY_COMMANDS))
		judge->providers++;
	if (around == IN_COMMANDS && step->kind == WALK_STRING)
		add_command(judge, text + step->start, step->end - step->start);
}

// Those that an editor carries out wherever they stand.
static void take_acting(struct judge *judge, const struct json_step *step, enum standing around,
			enum member key)
{
	const char *text = judge->message->text;
	bool string = step->kind == WALK_STRING;
	if (around == IN_CHANGES)
		check_edit(judge, step->key, step->key_length);
	if (around == IN_DOCUMENT_CHANGES && (key == KEY_URI || key == KEY_OTHER_URI)) {
		if (string)
			check_edit(judge, text + step->start, step->end - step->start);
		else
			refuse(judge, REFUSED_MALFORMED, "(an edit)", "it names no file");
	}
	if (around != IN_DATA && key == KEY_COMMAND && string)
		check_command(judge, step->start, step->end);
	if (around != IN_DATA && key == KEY_LINK && string)
		check_link(judge, text + step->start, step->end - step->start);
}

static bool take_step(void *owner, const struct json_step *step)
{
	struct judge *judge = owner;
	enum standing around = judge->around[step->depth];
	if (step->depth == 0) {
		judge->around[1] = IN_MESSAGE;
		return step->kind == WALK_OBJECT;
	}
	enum member key = member_of(step);
	take_placed(judge, step, around, key);
	take_acting(judge, step, around, key);
	judge->around[step->depth + 1] = member_inside(around, key, step->kind);
	return true;
}

// --- the whole -----------------------------------------------------------------------------------

static void judge_show(struct judge *judge)
{
	struct lsp_message *message = judge->message;
	char path[PATH_MAX];
	const char *why = NULL;
	if (judge->external)
		why = "it asks for a program outside of the editor";
	else if (judge->shows != 1 || judge->externals > 1 || !judge->whole ||
		 !uri_path(judge->show, strlen(judge->show), path))
		why = "it is not a plain path of a file";
	else
		why = message->refuses_show(message->owner, path);
	if (why)
		refuse(judge, REFUSED_SHOW, judge->show, why);
}

static void judge_method(struct judge *judge)
{
	struct lsp_message *message = judge->message;
	bool known = false;
	message->request = judge->ids > 0;
	for (size_t i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		known = known || (str_equal(methods[i].name, judge->method) &&
				  methods[i].request == message->request);
	if (!known)
		refuse(judge, REFUSED_METHOD, judge->method, "LSP 3.17 does not have it");
	if (str_equal(judge->method, "window/showDocument"))
		judge_show(judge);
}

// The answer to the editor's first request says which commands the server carries out.
static void learn_commands(struct judge *judge)
{
	enum { MEMBERS = 4 };
	struct lsp_known *known = judge->message->known;
	if (known->complete || !judge->message->initialize[0] ||
	    !str_equal(judge->message->id, judge->message->initialize))
		return;
	known->complete = true;
	if (judge->providers == MEMBERS) // each once, or readers differ
		known->used += judge->fresh;
}

bool lsp_judge(struct lsp_message *message)
{
	struct judge judge = { .message = message };
	message->id[0] = '\0';
	message->request = false;
	if (!json_walk(message->text, message->length, take_step, &judge)) {
		refuse(&judge, REFUSED_MALFORMED, "(its text)", "it is not a JSON object");
		message->id[0] = '\0';
	} else if (judge.methods > 1 || judge.ids > 1 || judge.methods + judge.ids == 0) {
		refuse(&judge, REFUSED_MALFORMED, "(its members)", "it is not a message of LSP");
		message->id[0] = '\0';
	} else if (judge.methods == 1) {
		judge_method(&judge);
	} else {
		learn_commands(&judge);
	}
	return !judge.refused;
}

void lsp_instead(const struct lsp_message *message, char *ret_text, size_t size)
{
	enum { REQUEST_FAILED = -32803 };
	struct out out = { 0 };
	ret_text[0] = '\0';
	if (!message->id[0])
		return;
	out_text(&out, "{\"jsonrpc\":\"2.0\",\"id\":%s,", message->id);
	if (message->request) {
		out_text(&out, "\"method\":\"sbx/refused\"}");
	} else {
		char words[LSP_NAME_MAX + 256] = "";
		str_put(words, sizeof(words), "sbx refused %s: %s", message->name, message->why);
		out_text(&out, "\"error\":{\"code\":%d,", REQUEST_FAILED);
		json_string(&out, "message", words);
		out_text(&out, "}}");
	}
	str_put(ret_text, size, "%s", out.text);
	out_free(&out);
}
