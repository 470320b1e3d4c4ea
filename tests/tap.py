"""Shared by the tests in Python: checks, as TAP."""
import sys

count = failures = 0


def check(name, good, more=""):
    global count, failures
    count += 1
    failures += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}", flush=True)
    if not good and more != "":
        print("# " + repr(more)[:3000])


def skip(name, why):
    global count
    count += 1
    print(f"ok {count} - {name} # SKIP {why}", flush=True)


def finish():
    print(f"1..{count}")
    sys.exit(failures > 0)
