# strange_record.py IN OUT HOW: of an export the winner alone, its config changed so that it is none of its space.
import json
import sys

source, target, how = sys.argv[1:]
with open(source) as stream:
    lines = [json.loads(line) for line in stream]
with open(target, "w") as stream:
    for line in lines:
        if line["kind"] == "trial":
            continue
        if line["kind"] == "winner":
            config = line["config"]
            if how == "unknown":
                config["evil"] = 7
            elif how == "outside":
                config["mc"] = 1000000007
            elif how == "missing":
                del config[max(config)]
        stream.write(json.dumps(line) + "\n")
