#!/usr/bin/env python3
"""Compares JSON (stdin, a text a line) with sbx-json(5), the page of $SBX.

json_form.py FORM      what is wrong, or "1 text"; the members that were there are added to the file $SEEN
json_form.py --forms   the forms of the page
json_form.py --unseen  its optional members that are not in the file $SEEN"""
import gzip
import json
import os
import re
import sys

CHECKS = {"string": lambda v: isinstance(v, str), "boolean": lambda v: isinstance(v, bool),
          "number": lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= 0,
          "object": lambda v: isinstance(v, dict), "null": lambda v: v is None}
VERSIONS = {"result": 2}


def page_text(sbx):
    """Of a build, or as it is installed."""
    top = os.path.dirname(os.path.dirname(os.path.realpath(sbx)))
    built, installed = top + "/man/sbx-json.5", top + "/share/man/man5/sbx-json.5"
    for path, opened in ((built, open), (installed, open), (installed + ".gz", gzip.open)):
        if os.path.exists(path):
            with opened(path, "rt", encoding="utf-8") as file:
                return file.read().replace("\\-", "-").replace("\\%", "")
    sys.exit(f"there is no {built} and no {installed}")


def read_page(sbx):
    """The forms: of each member its types, whether it is optional, and its values where the page has all."""
    parts, mixed = ({"": {}}, {}), []
    head, _, objects = page_text(sbx).partition("\n.SH OBJECTS\n")
    for part, text in zip(parts, (head, objects)):
        rows = part.get("")
        for line in text.splitlines():
            row = re.fullmatch(r"\\fB(\S+)\\fR \(([a-z ]+)(, optional)?\)", line)
            if line.startswith(".SS "):
                rows = part[line[4:]] = {}
            elif row and row[1] == "*" and row[2] not in CHECKS:
                mixed.append((rows, "", row[2], bool(row[3])))
            elif row:
                values = set()
                rows[row[1]] = (row[2].split(" or "), bool(row[3]), values)
            elif line == ".PP" or line.startswith(".SH"):
                values = set()
            elif rows:
                values.update(re.findall(r"\\fI(.*?)\\fR", line))
    for rows in parts[0].values():
        for path, (types, optional, _) in list(rows.items()):
            if types[0] not in CHECKS:
                mixed.append((rows, path + ".", types[0], False))
                rows[path] = (["object"], optional, set())
    for rows, place, kind, optional in mixed:
        rows.update({place + name: (row[0], row[1] or optional, row[2]) for name, row in parts[1][kind].items()})
    return parts[0]


def compare(value, place, rows, problems, seen):
    """`rows`: what the page says below `place`."""
    for key in value:
        if place + key not in rows and place + key + "[]" not in rows and place + "*" not in rows:
            problems.append(f"{place}{key} is not in the page")
    for path, (types, optional, values) in rows.items():
        rest = path.removeprefix(place)
        if not path.startswith(place) or "." in rest:
            continue
        name = rest.removesuffix("[]")
        members = list(value.values()) if rest == "*" else [value[name]] if name in value else []
        if members:
            seen.add(path)
        elif not optional and rest != "*":
            problems.append(f"{path} is missing")
        for member in members:
            if rest.endswith("[]") != isinstance(member, list):
                problems.append(f"{path} is no list, or one")
                continue
            for one in member if isinstance(member, list) else [member]:
                if not any(CHECKS[kind](one) for kind in types):
                    problems.append(f"{path} is no {types}: {one!r}")
                elif values and one is not None and one not in values:
                    problems.append(f"{path} has a value that is not in the page: {one!r}")
                elif isinstance(one, dict):
                    compare(one, path + ".", rows, problems, seen)


def main():
    forms, problems, seen = read_page(os.environ["SBX"]), [], set()
    if sys.argv[1] == "--forms":
        print(*sorted(name for name in forms if name))
        return
    if sys.argv[1] == "--unseen":
        with open(os.environ["SEEN"], encoding="utf-8") as file:
            seen = set(file.read().splitlines())
        print(*sorted({f"{form} {path}" for form, rows in forms.items() for path, row in rows.items() if row[1]} - seen), sep="\n")
        return
    data, count = sys.stdin.buffer.read(), 0
    if re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", data):
        problems.append("a raw control character")
    for line in data.decode("utf-8").splitlines():  # strict
        value = json.loads(line)
        count += 1
        if value.get("version") != VERSIONS.get(sys.argv[1], 1) or value.get("form") != sys.argv[1]:
            problems.append("another version or form")
        rows = {**forms[""], **forms[sys.argv[1]]}
        compare(value, "", rows, problems, seen)
    if "SEEN" in os.environ:
        with open(os.environ["SEEN"], "a", encoding="utf-8") as file:
            file.writelines(f"{sys.argv[1]} {path}\n" for path in seen)
    print("\n".join(problems) if problems else f"{min(count, 1)} text")


if __name__ == "__main__":
    main()
