"""strategies.py PAGE: reads what an unknown strategy is told, and fails where the page's row of the option lists
others than that."""

import re
import sys

told = sys.stdin.read()
with open(sys.argv[1], encoding="utf-8") as file:
    row = re.search(r"^\| `strategy` \|[^|]*\|([^;|]*)", file.read(), re.MULTILINE)[1]
listed = re.findall(r"`(\w+)`", row)
for name in listed:
    if not re.search(r"\b%s\b" % name, told):
        sys.exit("the page lists the strategy %s, which is none: %s" % (name, told))
missing = [name for name in re.findall(r"\w+", told.rsplit(":", 1)[1]) if name not in listed]
if missing or len(listed) < 3:
    sys.exit("the page does not list %s; %s" % (missing, told))
