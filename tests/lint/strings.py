"""The strings of src that a user can see, for the lint of words and the golden file of messages."""
import glob
import re

TOKEN = re.compile(r"""//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\])*'|[A-Za-z_]\w*|\s+|.""", re.S)
WORDS = re.compile(r"[A-Za-z]{2,}[^ ]* (?:.* )?[^ ]*[a-z]{2,}")
# What a string is an argument of when it is not for people.
FOR_MACHINES = {"__asm__", "_Static_assert", "volatile", "SEC", "is_of", "json_string", "str_equal", "text_value"}
# Tables of words that programs, not people, read: names of tools, of system calls, of languages.
TABLES = {"src/cli/complete.c", "src/code/languages.c"}
CALLS = re.compile(r"\b(openat|socketpair|sendmmsg|shmget|prlimit64|setpriority|fchmod|pivot_root|process_vm_readv"
                   r"|io_uring_setup|keyctl|setgroups|fchownat|openat2|personality|mkdirat|newfstatat)\b")
NOT_WORDS = re.compile(r"\\n#|^#include|^//|HTTP/1|digraph|^\[profile\]|^\{?\\\"|shape=|^ *%?[sucld]+( %[a-z.*0-9]+)+|^printf|^\{ %s"
                       r"|^sed -n|^sum |^cc |^c\+\+ |^go build|^rustc|^ [a-z]+ [a-z]+ $")


def literals(path):
    """(line, text, what it is an argument of) of each string of a file; adjacent ones are one."""
    with open(path, encoding="utf-8") as file:
        text = file.read()
    line, current, callers, last = 1, None, [], ""
    for match in TOKEN.finditer(text):
        token = match.group()
        if token[0] == '"':
            if current is None:
                current = [line, "", callers[-1] if callers else ""]
            current[1] += token[1:-1]
        elif not token.isspace() and not token.startswith(("//", "/*")):
            if current and re.match(r"PRI[a-z]", token):
                current[1] += "%"
            elif current:
                yield tuple(current)
                current = None
            if token == "(":
                callers.append(last)
            elif token == "{":
                callers.append("{")
            elif token in ")}" and callers:
                callers.pop()
            last = token
        line += token.count("\n")


def messages():
    """(file, line, text) of each message, in the order of the source."""
    for path in sorted(glob.glob("src/**/*.[ch]", recursive=True)):
        if path.startswith("src/gen/"):
            continue
        for line, text, caller in literals(path):
            if caller in FOR_MACHINES or caller.startswith("sizeof"):
                continue
            if caller in ("fail", "fail_at"):
                yield path, line, text
            elif WORDS.search(text) and not CALLS.search(text) and not NOT_WORDS.search(text) \
                    and not (caller == "{" and path in TABLES):
                yield path, line, text
