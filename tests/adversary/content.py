"""What stands in a file, so that the program that reads it runs the canary."""
import re

NODE = "require('child_process').execSync('COMMAND')\n"
# A pattern of names; the text. COMMAND is the canary with its tag; a pointer has it in a comment as well, as the
# word about the pointer is enough. The other files that the text needs are in NEEDS.
TEXTS = [
    (r"mise[^/]*\.toml$|mise/conf[^/]*(/|\.toml$)", "[env]\nA = \"{{{{ exec(command='COMMAND') }}}}\"\n"),
    (r"lefthook[^/]*\.ya?ml$", "pre-commit:\n  commands:\n    own:\n      run: COMMAND\n"),
    (r"\.yarnrc$", "# COMMAND\nyarn-path \"./lib/pointed.js\"\n"),
    (r"\.yarnrc\.yml$", "# COMMAND\nyarnPath: ./lib/pointed.js\n"),
    (r"\.npmrc$", "; COMMAND\nscript-shell=./lib/pointed.sh\n"),
    (r"package\.json$", "{\"name\": \"p\", \"version\": \"1.0.0\", \"scripts\": {\"preinstall\": \"COMMAND\"}}\n"),
    (r"pnpm-workspace\.yaml$", "# COMMAND\nscriptShell: ./lib/pointed.sh\n"),
    (r"\.[cm]?js$", NODE),
    (r"(^|/)git/config$|\.gitconfig$", "[core]\n\tfsmonitor = COMMAND\n"),
    (r"ssh/config$", "Match exec \"COMMAND\"\n"),
    (r"\.envrc$|rc$|tools/env\.sh$", "COMMAND\n"),
]
NEEDS = {"./lib/pointed.js": ["write", "lib/pointed.js", NODE, "644"],
         "./lib/pointed.sh": ["write", "lib/pointed.sh", "#!/bin/sh\nCOMMAND\n", "755"]}


def text_of(path, command):
    """The text, and the operations for what else it needs."""
    text = next((text for pattern, text in TEXTS if re.search(pattern, path)), "#!/bin/sh\nCOMMAND\n")
    needs = [[word.replace("COMMAND", command) for word in op] for name, op in NEEDS.items() if name in text]
    return text.replace("{{{{", "{{").replace("}}}}", "}}").replace("COMMAND", command), needs
