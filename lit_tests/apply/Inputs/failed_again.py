# failed_again.py EXPORT KIND: each record of this kind once more, as one whose result was wrong.
import json
import sys

source, kind = sys.argv[1:]
with open(source) as stream:
    for line in stream:
        record = json.loads(line)
        if record["kind"] == "header":
            print(line, end="")
        if record["kind"] == kind:
            for member in ("time", "check", "script", "drift"):
                record.pop(member, None)
            record.update(kind="trial", verdict="wrong", error="not as the reference")
            print(json.dumps(record))
