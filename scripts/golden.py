"""The IR that a payload of lit_tests/golden becomes, step by step, for scripts/update-golden and
scripts/update-knob-tables.

A payload is an .mlir file with one task. Each of its lines

    // golden: DEVICE [threads=N] [KNOB=VALUE,...]

is a case: the device is the name of a fingerprint in lit_tests/golden/Inputs, or a target that needs
none (`vulkan:generic`, `cuda:sm_80`); knobs that it does not give take their default. Nothing of this
machine's goes in: neither its CPU nor its devices, nor where the files lie."""

import functools
import hashlib
import json
import os
import re
import subprocess
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FOLDER = os.path.join(SOURCE, "lit_tests", "golden")
STAGE = re.compile(r"^// -----// tune-lower: (\w+) //----- //\n", re.MULTILINE)


class Failure(Exception):
    """What to tell whoever runs the script."""


class Case:
    """One `golden:` line of a payload."""

    def __init__(self, payload, text):
        self.payload, self.text = payload, text
        words = text.split()
        self.device, self.threads, self.config = words[0], "1", ""
        for word in words[1:]:
            if word.startswith("threads="):
                self.threads = word[len("threads="):]
            else:
                self.config = word
        self.fingerprint, self.target = {}, self.device
        if ":" not in self.device:
            self.path = os.path.join(FOLDER, "Inputs", self.device + ".json")
            with open(self.path, encoding="utf-8") as file:
                self.fingerprint = json.load(file)
            self.target = self.fingerprint["target"]

    def name(self):
        return "%s on %s" % (os.path.basename(self.payload), self.text)

    def options(self):
        text = "target=%s threads=%s" % (self.target, self.threads)
        return text + (" device='%s'" % self.path if self.fingerprint else "")

    def features(self):
        """The CPU's, as LLVM calls them."""
        return ",".join("+" + {"bmi1": "bmi"}.get(name, name.replace("avx512_", "avx512").replace("sse4_", "sse4."))
                        for name in self.fingerprint["features"])


class Result:
    """What became of a case: the rule that took it, what tune-print-space says of its space, and
    the texts by stage, in their order. The first, `space`, is the schedule with its knobs open."""

    def __init__(self, rule, table, stages):
        self.rule, self.table, self.stages = rule, table, stages

    def digests(self):
        return {stage: (text.count("\n"), hashlib.sha256(text.encode()).hexdigest()[:32])
                for stage, text in self.stages.items()}


def payloads():
    return sorted(os.path.join(FOLDER, f) for f in os.listdir(FOLDER) if f.endswith(".mlir"))


def cases(payload):
    with open(payload, encoding="utf-8") as file:
        found = re.findall(r"^// golden: (.*)$", file.read(), re.MULTILINE)
    if not found:
        raise Failure("%s has no line '// golden: DEVICE'" % payload)
    return [Case(payload, line) for line in found]


@functools.cache
def run(command, text=None):
    """stdout and stderr of a program that must succeed; cases of a payload share what is the same."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Failure("`%s` failed:\n%s" % (" ".join(command), done.stderr[-2000:]))
    return done.stdout, done.stderr


def split_stages(text):
    """What print-stages printed, by stage, without what else is said between modules."""
    parts = STAGE.split(text)
    ends = [[match.end() for match in re.finditer(r"^}.*\n", body, re.MULTILINE)][-1] for body in parts[2::2]]
    return {name: body[:end] for name, body, end in zip(parts[1::2], parts[2::2], ends)}


def make(case, tools):
    """Runs a case through the programs in the folder `tools`."""
    try:
        return make_stages(case, tools)
    except Failure as failure:
        raise Failure("%s: %s" % (case.name(), failure)) from None


def make_space(case, tools):
    """The schedule with its knobs open, what tune-print-space says of them, and the rule."""
    with open(case.payload, encoding="utf-8") as file:
        payload = file.read()
    # Programs read stdin, so that no diagnostic and no location has a path in it.
    space, table = run((os.path.join(tools, "tune-opt"), "--tune-print-space=" + case.options()), payload)
    rule = re.search(r"rule '(\w+)'", table)
    if not rule or len(re.findall(r"^  key ", table, re.MULTILINE)) != 1:
        raise Failure("a payload is one task\n" + table)
    return space, table, rule[1]


def make_stages(case, tools):
    opt, worker = os.path.join(tools, "tune-opt"), os.path.join(tools, "tune-worker")
    with open(case.payload, encoding="utf-8") as file:
        payload = file.read()
    space, table, rule = make_space(case, tools)
    with tempfile.TemporaryDirectory(prefix="golden-") as folder:

        def write(name, text):
            path = os.path.join(folder, name)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            return path

        build = (worker, "--build=" + write("task.mlir", run((opt, "--tune-extract"), payload)[0]),
                 "--function=tune_task_0", "--schedule=" + write("space.mlir", space), "--config=" + case.config)
        lower = "--tune-lower=print-stages " + case.options()
        if case.config:
            lower += " schedule='%s'" % write("decided.mlir", run(build + ("--emit=script",))[0])
        end, stages = run((opt, lower), payload)
        texts = {"space": space, **split_stages(stages)}
        if case.target == "cpu":
            texts["llvm"] = end
            # What a search builds: packed ahead of calls, with an entry, allocations and threads.
            texts["artifact"], _ = run(build + (
                "--emit=mlir", "--triple=x86_64-linux-gnu", "--cpu=x86-64", "--features=" + case.features(),
                "--threads=" + case.threads))
    return Result(rule, table, texts)
