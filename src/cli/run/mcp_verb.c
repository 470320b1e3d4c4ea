// sbx mcp wrap: runs a Model Context Protocol server in a box, with the server's profile. sbx mcp
// serve: a server whose calls are runs in one session.
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/base.h"
#include "base/fd.h"
#include "cli/verbs.h"
#include "code/languages.h"
#include "mcp/protocol.h"
#include "run/run_command.h"
#include "text/json.h"

#define USAGE                                                                                      \
	"usage: sbx mcp wrap [OPTION]... [--] SERVER [ARGUMENT]... | mcp serve -s NAME "           \
	"[OPTION]..."

// Finds the profile of a server by its npx package or program, else by the runner that fetches it.
static const char *profile_of(char *const *command)
{
	// clang-format off
	static const struct {
		const char *names, *profile;
	} servers[] = {
		{ "@modelcontextprotocol/server-filesystem mcp-server-filesystem", "mcp-filesystem" },
		{ "@modelcontextprotocol/server-memory mcp-server-memory", "mcp-memory" },
		{ "@modelcontextprotocol/server-sequential-thinking mcp-server-sequential-thinking", "mcp-sequential-thinking" },
		{ "@modelcontextprotocol/server-github mcp-server-github", "mcp-github" },
		{ "@modelcontextprotocol/server-postgres mcp-server-postgres", "mcp-postgres" },
		{ "@playwright/mcp playwright-mcp", "mcp-playwright" },
	}, runners[] = {
		{ "npx npm pnpm pnpx yarn bun bunx node", "node" },
		{ "uvx uv pipx python python3", "python" },
	};
	// clang-format on
	const char *name = path_name(command[0]), *runner = NULL;
	for (size_t i = 0; i < sizeof(runners) / sizeof(*runners); i++)
		if (str_has_word(runners[i].names, name, strlen(name)))
			runner = runners[i].profile;
	for (command += runner != NULL; runner && *command && (*command)[0] == '-';)
		command++;
	name = runner ? *command : name;
	size_t length = name && *name ? 1 + strcspn(name + 1, "@") : 0; // without a version
	for (size_t i = 0; length && i < sizeof(servers) / sizeof(*servers); i++)
		if (str_has_word(servers[i].names, name, length))
			return servers[i].profile;
	return runner;
}

static int wrap(struct box *box)
{
	struct invocation *asked = &box->invocation;
	if (!asked->command[0])
		return fail(0, "no server given; " USAGE);
	const char *profile = asked->profiles.first ? NULL : profile_of(asked->command);
	if (profile)
		list_add(&asked->profiles, box->arena, profile, (struct origin){ .file = "mcp" });
	// The client ends the server, and reads its stderr.
	asked->die_with_parent = asked->logged = TOGGLE_YES;
	return 0;
}

enum {
	CALLS_MAX = 32,
	SHOWN_MAX = 30000,  // bytes of an output in its answer
	KEPT_MAX = 4 << 20, // bytes of an output that can be read later
	OUTPUTS_KEPT = 16,
	SECOND = 1000,
};

struct mcp_server {
	struct mcp_tools tools;
	struct mcp_call {
		pid_t process; // 0: free
		int output;
		bool cancelled, is_apply; // an apply is never interrupted
		const char *id, *token;   // JSON, in the call's arena
		struct arena *arena;
		struct out text;
		int64_t began, progress_said;
	} calls[CALLS_MAX];
	struct out outputs[OUTPUTS_KEPT]; // newest outputs that an answer cut short
	unsigned cut;                     // count of outputs cut short so far
	char line[JSON_BYTES_MAX + 2];
	size_t used;
	bool skips_line; // the line is too long
};

// Prints the part from `offset` on, cut between characters. Says where the rest begins.
static void show(const char *id, const struct out *text, size_t offset, size_t most,
		 unsigned number, int status)
{
	struct out shown = { 0 }, out = { 0 };
	size_t left = offset < text->used ? text->used - offset : 0,
	       length = left < most ? left : most;
	while (length < left && length > 3 && most - length < 3 &&
	       (text->text[offset + length] & 0xc0) == 0x80) // a byte inside a UTF-8 character
		length--;
	for (size_t i = offset; i < offset + length; i++)
		out_bytes(&shown, text->text[i] ? text->text + i : "?", 1);
	if (length < left)
		out_text(&shown, "\n[%zu more bytes; the next: tool read, output %u, offset %zu]",
			 left - length, number, offset + length);
	if (length == left && text->used == KEPT_MAX)
		out_text(&shown, "\n[what follows these bytes was not stored]");
	if (status)
		out_text(&shown, "\n[exit status %d]", status);
	mcp_result(&out, id, shown.text ? shown.text : "", status != 0);
	out_write(&out, STDOUT_FILENO);
	out_free(&shown);
}

static void end_call(struct mcp_server *server, struct mcp_call *call)
{
	int status = 0;
	while (waitpid(call->process, &status, 0) < 0 && errno == EINTR)
		;
	status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	if (!call->cancelled)
		show(call->id, &call->text, 0, SHOWN_MAX, server->cut + 1, status);
	if (!call->cancelled && call->text.used > SHOWN_MAX) {
		struct out former = server->outputs[server->cut % OUTPUTS_KEPT];
		server->outputs[server->cut++ % OUTPUTS_KEPT] = call->text;
		call->text = former;
	}
	out_free(&call->text);
	close(call->output);
	arena_free(call->arena);
	*call = (struct mcp_call){ 0 };
}

static void take_output(struct mcp_server *server, struct mcp_call *call)
{
	static char bytes[64 << 10];
	ssize_t got = read(call->output, bytes, sizeof(bytes));
	size_t room = KEPT_MAX - call->text.used;
	if (got > 0)
		out_bytes(&call->text, bytes, (size_t)got < room ? (size_t)got : room);
	else
		end_call(server, call);
}

static int begin_call(struct mcp_call *call, char **words, const char *input)
{
	int ends[2];
	autoclose int file = fd_memory("sbx", MEMORY_PLAIN);
	if (file < 0 || fd_write_all(file, input, strlen(input)) < 0 ||
	    lseek(file, 0, SEEK_SET) < 0 || pipe2(ends, O_CLOEXEC) < 0)
		return fail(errno, "start a call");
	call->process = fork();
	if (call->process == 0) {
		if (!call->is_apply)
			prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
		signal(SIGPIPE, SIG_DFL);
		if (dup2(file, STDIN_FILENO) >= 0 && dup2(ends[1], STDOUT_FILENO) >= 0 &&
		    dup2(ends[1], STDERR_FILENO) >= 0)
			execv("/proc/self/exe", words);
		fail(errno, "run '%s'", words[1]);
		_exit(box_failed());
	}
	close(ends[1]);
	call->output = ends[0];
	call->began = call->progress_said = steady_now();
	return call->process < 0 ? close(ends[0]), call->process = 0, fail(errno, "fork") : 0;
}

// True if the answer would show what exists outside: for a path or a variable. A text counts as a
// path if its first component exists.
static bool tells(struct arena *arena, const struct mcp_message *message)
{
	const struct json *word = json_member(message->arguments, "word");
	const char *text = word ? word->string : "x",
		   *first = arena_copy(arena, text, strcspn(text, "/"));
	return strchr("/~.$", text[0]) || (strchr(text, '/') && !strchr(text, ' ')) ||
	       faccessat(AT_FDCWD, first, F_OK, AT_SYMLINK_NOFOLLOW) == 0 ||
	       !text[strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_")];
}

static int take_call(struct mcp_server *server, const struct mcp_message *message,
		     struct mcp_call *call)
{
	const char *input;
	char **words = mcp_words(call->arena, &server->tools, message, &input);
	unsigned long long number = mcp_number(message, "output", 0),
			   most = mcp_number(message, "limit", SHOWN_MAX);
	if (!words)
		return -1;
	if (str_equal(message->tool, "why") && tells(call->arena, message))
		return fail(0, "why is for hosts, groups and error texts; of paths and variables "
			       "the sandbox has what it shows");
	if (number == 0) {
		call->is_apply = str_equal(message->tool, "apply");
		call->id = message->id;
		call->token = message->token;
		return begin_call(call, words, input ? input : "");
	}
	if (number > server->cut || number + OUTPUTS_KEPT <= server->cut)
		return fail(0, "output %llu is not stored; the last %d that were cut are", number,
			    OUTPUTS_KEPT);
	show(message->id, &server->outputs[(number - 1) % OUTPUTS_KEPT],
	     mcp_number(message, "offset", 0), most < KEPT_MAX ? most : KEPT_MAX, (unsigned)number,
	     0);
	return 0;
}

// Returns false if no call can begin now. The line stays in the buffer.
static bool take_line(struct mcp_server *server, size_t length)
{
	struct mcp_message message;
	struct out out = { 0 };
	struct mcp_call *call = server->calls, *end = call + CALLS_MAX;
	struct arena *arena = arena_new_of((size_t)256 << 20);
	server->line[length] = '\0';
	mcp_read(arena, &server->tools, server->line, length, &message, &out);
	while (message.kind == MCP_CALL && call < end && call->process)
		call++;
	if (message.kind == MCP_CALL && call < end) {
		call->arena = arena;
		if (take_call(server, &message, call) < 0)
			mcp_result(&out, message.id, err_taken(), true);
	}
	for (struct mcp_call *each = server->calls; message.kind == MCP_CANCEL && each < end;
	     each++)
		if (each->process && message.token && str_equal(each->id, message.token)) {
			each->cancelled = true;
			if (!each->is_apply)
				kill(each->process, SIGKILL);
		}
	out_write(&out, STDOUT_FILENO);
	if (call == end || !call->process || call->arena != arena)
		arena_free(arena);
	return call < end;
}

// Takes lines of stdin. `more`: reads first. Returns false at the end of stdin.
static bool take_input(struct mcp_server *server, bool more)
{
	size_t room = sizeof(server->line) - 1 - server->used, length;
	ssize_t got = more ? read(STDIN_FILENO, server->line + server->used, room) : 0;
	if (more && got <= 0)
		return false;
	for (server->used += (size_t)got; server->used > 0;) {
		char *end = memchr(server->line, '\n', server->used);
		length = end ? (size_t)(end - server->line) : server->used;
		if (!end && length < sizeof(server->line) - 1)
			return true;
		if (!server->skips_line && length > 0 && !take_line(server, length)) {
			server->line[length] = '\n';
			return true;
		}
		server->skips_line = !end;
		server->used -= length + (end != NULL);
		memmove(server->line, end ? end + 1 : "", server->used);
	}
	return true;
}

static void say_progress(struct mcp_call *call, int64_t now)
{
	struct out out = { 0 };
	if (!call->process || !call->token || now - call->progress_said < SECOND)
		return;
	call->progress_said = now;
	out_text(&out,
		 "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/progress\",\"params\":{"
		 "\"progressToken\":%s,\"progress\":%lld,\"message\":\"%zu bytes of output\"}}\n",
		 call->token, (long long)(now - call->began) / SECOND, call->text.used);
	out_write(&out, STDOUT_FILENO);
}

static void serve(struct mcp_server *server)
{
	struct pollfd events[CALLS_MAX + 1];
	for (bool open = true; open;) {
		bool waits = memchr(server->line, '\n', server->used) != NULL, runs = false;
		for (int i = 0; i < CALLS_MAX; i++) {
			const struct mcp_call *call = &server->calls[i];
			events[i] = (struct pollfd){ call->process ? call->output : -1, POLLIN, 0 };
			runs |= call->process != 0;
		}
		events[CALLS_MAX] = (struct pollfd){ STDIN_FILENO, waits ? 0 : POLLIN, 0 };
		poll(events, CALLS_MAX + 1, runs ? SECOND : -1);
		for (int i = 0; i < CALLS_MAX; i++) {
			if (events[i].revents)
				take_output(server, &server->calls[i]);
			say_progress(&server->calls[i], steady_now());
		}
		if (waits || events[CALLS_MAX].revents)
			open = !(waits && events[CALLS_MAX].revents) && take_input(server, !waits);
	}
}

static int prepare(struct box *box, struct mcp_server *server)
{
	struct mcp_tools *tools = &server->tools;
	char *text = NULL;
	const char *session = box->invocation.session, *directory = box->invocation.directory;
	tools->standing = box->arguments.all;
	tools->standing_count = (size_t)(box->arguments.rest - box->arguments.all);
	if (!session || box->arguments.rest[0] || str_equal(box->arguments.rest[-1], "--") ||
	    (directory && directory[0] != '/'))
		return fail(0, "mcp serve takes options alone, -s NAME among them, and -C with an "
			       "absolute path; to make the session: sbx session create NAME");
	tools->session = arena_copy(box->arena, session, strlen(session));
	for (const struct driver *each = backends; each < backends + backend_count; each++)
		if (str_equal(each->name, "tools"))
			tools->text = text = arena_copy(box->arena, each->text, strlen(each->text));
	for (char *line = text; (line = strchr(line, '\n'));) // each message is one line
		*line = ' ';
	return json_parse(box->arena, text, strlen(text), &tools->root);
}

int verb_mcp(char **words)
{
	struct box *box = box_new();
	static struct mcp_server server;
	const char *action = words[0] && words[0][0] != '-' ? words[0] : "";
	if (box_read(box, VERB_MCP, words + (action[0] != '\0')) < 0)
		return box_failed();
	if (!action[0])
		return fail(0, USAGE), box_failed();
	if (str_equal(action, "wrap"))
		return wrap(box) < 0 ? box_failed() : run_command(box);
	if (prepare(box, &server) < 0)
		return box_failed();
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_DFL); // a client may have set SIG_IGN
	serve(&server);
	return STATUS_OK;
}
