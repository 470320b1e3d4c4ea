#!/usr/bin/env python3
"""Compares JSON (stdin, a text a line) with the form FORM of sbx-json(5): json_form.py PAGE FORM"""
import json
import re
import sys

CHECKS = {"string": lambda v: isinstance(v, str), "boolean": lambda v: isinstance(v, bool),
          "number": lambda v: isinstance(v, int) and not isinstance(v, bool) and v >= 0,
          "object": lambda v: isinstance(v, dict), "null": lambda v: v is None}
VERSIONS = {"result": 2}


def read_page(path):
    forms, form = {"": {}}, ""
    for line in open(path, encoding="utf-8"):
        if line.startswith(".SS "):
            form = line[4:].strip().replace("\\-", "-")
            forms[form] = {}
        row = re.fullmatch(r"\\fB(\S+)\\fR \(([a-z ]+)(, optional)?\)\n", line)
        if row:
            forms[form][row[1]] = (row[2].split(" or "), bool(row[3]))
    return forms


def compare(value, place, rows, problems):
    """`rows`: what the page says below `place`."""
    for key in value:
        if place + key not in rows and place + key + "[]" not in rows and place + "*" not in rows:
            problems.append(f"{place}{key} is not in the page")
    for path, (types, optional) in rows.items():
        rest = path.removeprefix(place)
        if not path.startswith(place) or "." in rest:
            continue
        name = rest.removesuffix("[]")
        members = list(value.values()) if rest == "*" else [value[name]] if name in value else []
        if not members and not optional and rest != "*":
            problems.append(f"{path} is missing")
        for member in members:
            if rest.endswith("[]") != isinstance(member, list):
                problems.append(f"{path} is no list, or one")
                continue
            for one in member if isinstance(member, list) else [member]:
                if not any(CHECKS[kind](one) for kind in types):
                    problems.append(f"{path} is no {types}: {one!r}")
                elif isinstance(one, dict):
                    compare(one, path + ".", rows, problems)


def main():
    forms, problems = read_page(sys.argv[1]), []
    if sys.argv[2] == "--forms":
        print(*sorted(name for name in forms if name))
        return 0
    data, count = sys.stdin.buffer.read(), 0
    if re.search(rb"[\x00-\x09\x0b-\x1f\x7f]|\xc2[\x80-\x9f]", data):
        problems.append("a raw control character")
    for line in data.decode("utf-8").splitlines():  # strict
        value = json.loads(line)
        count += 1
        if value.get("version") != VERSIONS.get(sys.argv[2], 1) or value.get("form") != sys.argv[2]:
            problems.append("another version or form")
        rows = {**forms[""], **forms[sys.argv[2]]}
        compare(value, "", rows, problems)
    print("\n".join(problems) if problems else f"{min(count, 1)} text")
    return 0


sys.exit(main())
