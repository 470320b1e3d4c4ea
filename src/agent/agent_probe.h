// Whether a command really lands in a box: by running one just as the agent would.
#pragma once

struct settings;

enum probed { PROBED_BOX, PROBED_OUTSIDE, PROBED_FAILED };

// `ret_why`: of PROBED_FAILED, what the command or the hook said; in the settings' arena.
enum probed probe_agent(const struct settings *settings, const char **ret_why);
