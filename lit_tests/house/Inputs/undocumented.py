"""undocumented.py DOCS: reads `tune-opt --help`, asks the other programs for theirs, and prints how many options
of ours there are, and each that its page in the folder DOCS does not mention; then it fails."""

import re
import subprocess
import sys


def page(name):
    with open("%s/%s.md" % (docs, name), encoding="utf-8") as file:
        return file.read()


def check(name, options, text, form):
    print("%s: %d options" % (name, len(options)))
    for option in options:
        # As `option`, `option=`, `option=VALUE`, alone or in a list.
        if not re.search(r"`[^`]*(?<![\w-])%s(?![\w-])[^`]*`" % re.escape(form % option), text):
            print("%s: %s is not in its page" % (name, option))
            missing.append(option)


docs, missing = sys.argv[1], []
passes, current = {}, None
for line in sys.stdin:
    match = re.match(r"( +)--([\w-]+)", line)
    if match and len(match[1]) == 6:
        current = passes.setdefault(match[2], []) if match[2].startswith("tune-") else None
    elif match and len(match[1]) == 8 and current is not None:
        current.append(match[2])
    else:
        current = None
own_pages = {"tune-search", "tune-annotate", "tune-apply", "tune-lower", "tune-export-schedule"}
for name, options in passes.items():
    check(name, options, page(name if name in own_pages else "tune-opt"), "%s")

commands = ["list", "show", "best", "device", "export", "import", "merge", "prune", "check"]
programs = [["tune-run"], ["tune-run", "export"], ["tune-worker"], ["tune-measure"]] + [["tune-db", c] for c in commands]
for program in programs:
    text = subprocess.run(program + ["--help"], check=True, capture_output=True, text=True).stdout
    options = re.findall(r"^  (?:-\w, )?--([\w-]+)", text, re.MULTILINE)
    options = [o for o in options if o not in ("help", "version")]
    check(" ".join(program), options, page(program[0]), "--%s")
sys.exit(1 if missing else 0)
