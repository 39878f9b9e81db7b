"""Records the tables of benchmarks/cross_level: every config of each module in tasks/, measured.

The choices on the ops of a module leave some hundred configs of one task open, over several levels. They
are gone through by `tune-search` with strategy=grid, which takes from the database what it has measured
already: what was stopped goes on. A table has several recordings, one after the other, so that it is known
how far times repeat themselves.

A table is a file in data/. Its first line says what it is of: task, target, CPU, knobs (name, level,
values, labels, number of the default, whether neighbours behave alike, and where it does anything) and
constraints. Then there is a line for each config: `c` a digit for each knob that has a choice, `s` the
median of each recording in seconds (null: it failed, or was wrong), `b` and `m` the seconds that building
and measuring took, `d` the same number for the same code.
"""

import json
import math
import re
import signal
import statistics
import subprocess
import time
from pathlib import Path

BUILD_STAGES = ("transform", "lower", "optimize", "codegen", "link")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
ORDERED = ("tile", "unroll", "vectorize")  # kinds of choices of which neighbours behave alike


class Unfinished(Exception):
    """The time is over, and something is left to record."""


class Failed(Exception):
    """Nothing could be measured."""


def target_of(name):
    return "vulkan" if name.startswith("vulkan_") else "cpu"


def search(options, module, database, seconds):
    """Goes through the configs of a module, for so long at most. What is left then is Unfinished."""
    words = ("grid target=%s trials=100000 finalists=0 whole=false budget=%s precision=%s db=%s report=quiet"
             % (target_of(module.stem), options.budget, options.precision, database))
    process = subprocess.Popen([options.bin / "tune-opt", module, "--tune-search=" + words, "-o", "/dev/null"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        _, said = process.communicate(timeout=None if math.isinf(seconds) else max(seconds, 0.1))
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGINT)
        process.communicate()
        raise Unfinished(module.stem) from None
    if process.returncode:
        raise Failed("%s: %s" % (module.stem, said))


def numbers_for_words(expression, knobs):
    """Words of knobs as they are compared in what --tune-print-space says, as numbers.

    >>> knob = {"name": "form", "labels": ["rows", "columns"], "values": [0, 1]}
    >>> numbers_for_words("form == columns && mr <= 4", {"form": knob})
    'form == 1 && mr <= 4'
    """
    def replace(match):
        knob = knobs.get(match[1])
        if knob and match[3] in knob.get("labels", ()):
            return "%s %s %d" % (match[1], match[2], knob["values"][knob["labels"].index(match[3])])
        return match[0]
    return re.sub(r"(\w+) (==|!=) ([\w.-]+)", replace, expression)


def parse_space(text, kinds):
    """The task with the most configs of what --tune-print-space says: its name, rule, knobs, constraints."""
    best, most = None, -1
    for part in re.split(r"\n(?=\S[^\n]*\n  key )", "\n" + text)[1:]:
        lines = part.splitlines()
        size = float(re.search(r"([\d.e+]+) configs before constraints", part)[1])
        if size > most:
            best, most = lines, size
    head = next(i for i, line in enumerate(best) if line.startswith("knob "))
    knobs = []
    for line in best[head + 1:]:
        # The last columns are apart by two spaces, the first three have none in them.
        match = re.match(r"(\w+) +(\w+) +(\S+)  (.*?) *(?:  |^)((?:[\w.-]+, )*[\w.-]+)$", line)
        if not match or match[2] not in ("graph", "linalg", "vector", "loop", "buffer", "gpu", "target"):
            break
        values = match[5].split(", ")
        knob = {"name": match[1], "level": match[2], "where": match[4].strip()}
        if all(re.fullmatch(r"-?\d+", value) for value in values):
            knob["values"] = [int(value) for value in values]
        else:
            knob["labels"], knob["values"] = values, None
        knob["default"] = values.index(match[3])
        knob["ordered"] = kinds.get(match[1]) in ORDERED and "labels" not in knob
        knobs.append(knob)
    constraints = [line.rsplit(": ", 1)[1] for line in best[head + 1 + len(knobs):]
                   if ": " in line and not line.startswith("level graph: ")]
    rule = re.search(r"rule '([^']*)'", best[1])[1]
    key = re.search(r"key (\w+)", best[1])[1]
    return best[0], rule, key, knobs, constraints


def read_labels(text, knobs):
    """Fills in the numbers of knobs with words, from the schedule that --tune-print-space writes."""
    for knob in knobs:
        if knob["values"] is not None:
            continue
        labels = re.search(r'"%s"(?:>| attributes)[^\n]*tune.labels = \[([^\]]*)\]' % knob["name"], text)
        words = re.search(r'knob<"%s"> options = \[("[^\]]*)\]' % knob["name"], text)
        whole = re.findall(r'"([^"]*)"', (labels or words)[1])
        numbers = re.search(r'knob<"%s"> options = (?:#[\w.]+<)?\[([-\d, ]+)\]' % knob["name"], text)
        values = [int(number) for number in re.findall(r"-?\d+", numbers[1])] if numbers else range(len(whole))
        knob["values"] = [values[whole.index(label)] for label in knob["labels"]]


def describe_task(options, path, target, key=""):
    """The space of the task of a module that has the most configs, or of the one with a key."""
    query = "=%s target=%s" % (key, target)
    done = subprocess.run([options.bin / "tune-opt", path, "--tune-print-space" + query],
                          capture_output=True, text=True, check=True)
    annotated = subprocess.run([options.bin / "tune-opt", path, "--tune-annotate=target=" + target],
                               capture_output=True, text=True, check=True).stdout
    kinds = dict(re.findall(r'([\w.]+) = #tune\.(?:chosen<")?(\w+)', annotated))
    name, rule, key, knobs, constraints = parse_space(done.stderr, kinds)
    read_labels(done.stdout, knobs)
    by_name = {knob["name"]: knob for knob in knobs}
    for knob in knobs:
        knob["where"] = numbers_for_words(knob["where"], by_name)
        if not knob["where"]:
            del knob["where"]
    return {"what": name, "key": key, "rule": rule,
            "knobs": knobs, "constraints": [numbers_for_words(text, by_name) for text in constraints]}


def describe(options, module):
    target = target_of(module.stem)
    return {"task": module.stem, **describe_task(options, module, target), "target": target}


def trials_of(options, database, key, target):
    """Of each config of a task on a target the last trial in a database, and what it ran on."""
    text = subprocess.run([options.bin / "tune-db", "export", key, "--db=" + str(database)], capture_output=True,
                          text=True, check=True).stdout
    records = [json.loads(line) for line in text.splitlines()]
    digest, device = next((record["digest"], record["description"]) for record in records
                          if record["kind"] == "fingerprint" and record["target"] == target)
    trials = {json.dumps(record["config"], sort_keys=True): record for record in records
              if record["kind"] == "trial" and record["fingerprint"] == digest}
    return trials, device.get("model") or device.get("name") or "unknown"


def seconds_of(trial):
    good = trial and trial["verdict"] in ("ok", "cut", "duplicate")
    return float("%.5g" % trial["time"]["median"]) if good and trial.get("time") else None


def mean(values):
    return float("%.3g" % statistics.mean(values))


def rows_of(knobs, recordings):
    codes, rows = {}, []
    for text, first in recordings[0].items():
        config = json.loads(text)
        digits = "".join(DIGITS[knob["values"].index(config[knob["name"]])] for knob in knobs
                         if len(knob["values"]) > 1)
        trials = [recording.get(text) for recording in recordings]
        stages = [trial["stages"] for trial in trials if trial]
        rows.append({"c": digits, "s": [seconds_of(trial) for trial in trials],
                     "b": mean([sum(of.get(stage, 0) for stage in BUILD_STAGES) for of in stages]),
                     "m": mean([of.get("measure", 0) for of in stages]),
                     "d": codes.setdefault(first.get("digest"), len(codes) + 1)})
    return sorted(rows, key=lambda row: row["c"])


def write(options, module, databases):
    head = describe(options, module)
    recordings = []
    for database in databases:
        trials, device = trials_of(options, database, head["key"], head["target"])
        recordings.append(trials)
    head.update(device=device, recordings=len(recordings), date=time.strftime("%Y-%m-%d"))
    lines = [json.dumps(line, separators=(",", ":")) for line in [head] + rows_of(head["knobs"], recordings)]
    options.data.mkdir(parents=True, exist_ok=True)
    (options.data / (module.stem + ".jsonl")).write_text("\n".join(lines) + "\n")


def record(options, modules):
    """Records what is not recorded, for as long as the options say, and writes the tables that are whole."""
    end = time.monotonic() + options.seconds
    options.folder.mkdir(parents=True, exist_ok=True)
    databases = [options.folder / ("recording-%d.db" % (i + 1)) for i in range(options.recordings)]
    for module in modules:
        for database in databases:
            search(options, module, database, end - time.monotonic())
        write(options, module, databases)
