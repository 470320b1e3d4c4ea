// Owns the test of an agent's settings: it runs their command with sh, as the agent does, for at
// most ten seconds.
#include "agent/agent_settings.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "agent/agents.h"
#include "base/base.h"
#include "base/fd.h"
#include "text/json.h"

// Prints the seccomp mode of the process: 2 behind a filter, 0 without one.
static const char question[] = "sed -n 's/^Seccomp:[^0-9]*//p' /proc/self/status";
enum { PROBE_SECONDS = 10, ANSWER_MAX = 65536 };

static void run_child(const struct agent *agent, const char *line, int input, int output)
{
	if (dup2(input, 0) < 0 || dup2(output, 1) < 0 || dup2(output, 2) < 0)
		_exit(125);
	if (agent->marker)
		setenv(agent->marker, "1", 1);
	setpgid(0, 0);
	execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	_exit(127);
}

static int64_t now_seconds(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec;
}

// Runs `line` with sh, with `text` as stdin. `answer` gets stdout and stderr. Returns the wait
// status, or -1.
static int run_line(const struct settings *settings, const char *line, const char *text,
		    char *answer)
{
	int in[2], out[2], status = -1;
	size_t used = 0;
	int64_t end = now_seconds() + PROBE_SECONDS;
	if (pipe2(in, O_CLOEXEC) < 0 || pipe2(out, O_CLOEXEC) < 0)
		return -1;
	pid_t child = fork();
	if (child == 0)
		run_child(settings->agent, line, in[0], out[1]);
	fd_close(&in[0]);
	fd_close(&out[1]);
	signal(SIGPIPE, SIG_IGN);
	fd_write_all(in[1], text, strlen(text));
	fd_close(&in[1]);
	struct pollfd event = { .fd = out[0], .events = POLLIN };
	while (child > 0 && now_seconds() < end && poll(&event, 1, 1000) >= 0) {
		ssize_t got =
			event.revents ? read(out[0], answer + used, ANSWER_MAX - 1 - used) : -1;
		if (event.revents && got <= 0)
			break;
		used += got > 0 ? (size_t)got : 0;
	}
	answer[used] = '\0';
	fd_close(&out[0]);
	if (child > 0) {
		if (now_seconds() >= end)
			kill(-child, SIGKILL);
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			;
	}
	return status;
}

static const char *by_hook(const struct settings *settings, const char *hook, char *answer)
{
	static const char *const merged[] = { "hookSpecificOutput", "tool_input", "command", NULL };
	static const char *const updated[] = { "hookSpecificOutput", "updatedInput", "command",
					       NULL };
	static const char *const reason[] = { "hookSpecificOutput", "permissionDecisionReason",
					      NULL };
	struct json *root;
	struct arena *arena = settings->arena;
	const char *text =
		arena_text(arena, "{\"tool_name\": \"shell\", \"tool_input\": {\"command\": %s}}",
			   json_quote(arena, question));
	if (run_line(settings, hook, text, answer) != 0 ||
	    json_parse(arena, answer, strlen(answer), &root) < 0)
		return NULL;
	static const char *const *const paths[] = { [HOOK_MERGES] = merged,
						    [HOOK_REFUSES] = reason,
						    [HOOK_UPDATES] = updated,
						    [HOOK_ALLOWS] = updated };
	const struct json *found = json_at(root, paths[settings->agent->answer]);
	const char *line = found && found->type == JSON_STRING ? found->string : NULL;
	return line && settings->agent->answer == HOOK_REFUSES ? strstr(line, "'") : line;
}

enum probed probe_agent(const struct settings *settings, const char **ret_why)
{
	FORGIVING;
	char *answer = arena_take(settings->arena, ANSWER_MAX);
	const char *command = settings_command(settings), *line = NULL;
	*ret_why = answer;
	if (command && settings->agent->means == AGENT_HOOK)
		line = by_hook(settings, command, answer);
	else if (command)
		line = arena_text(settings->arena, "%s %s%s", quote_word(settings->arena, command),
				  settings->agent->call, quote_word(settings->arena, question));
	if (!line || run_line(settings, line, "", answer) != 0)
		return PROBED_FAILED;
	return str_equal(answer, "2\n")   ? PROBED_BOX
	       : str_equal(answer, "0\n") ? PROBED_OUTSIDE
					  : PROBED_FAILED;
}
