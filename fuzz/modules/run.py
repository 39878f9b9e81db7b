#!/usr/bin/env python3
"""Runs modules of generate.py through tune-run, and compares with the plain lowering.

    fuzz/modules/run.py [--tools=build/bin] [--target=cpu] [--seconds=60] [--count=0] [--seed=1] [--jobs=N]
                        [--keep=FOLDER] [--allow=WORD] [-- OPTION…]

Module after module, by ascending seed, until --seconds are over or, where it is not 0, --count are done, is built by its default schedules, run and checked; for cuda:sm_90 it is
built alone (--emit=ptx). What crashed, hung, is wrong or was refused is kept in FOLDER (build/found-modules) with
what was said, and makes this fail. A task that fell back to another rule is counted, and its line kept.
What is allowed (int8, bf16) all products of a module are. OPTIONs go to tune-run: --threads=2, --config=…, --strict.

A module once more: generate.py SEED > m.mlir; tune-run m.mlir --db="""

import collections
import concurrent.futures
import os
import re
import subprocess
import sys
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
GENERATE = os.path.join(SOURCE, "fuzz", "modules", "generate.py")
BUILD_SECONDS, SECONDS = 60, 180


def parse_options(words):
    options = {"tools": os.path.join(SOURCE, "build", "bin"), "target": "cpu", "seconds": "60", "count": "0",
               "seed": "1",
               "jobs": str(os.cpu_count()), "keep": os.path.join(SOURCE, "build", "found-modules"),
               "allow": ""}
    rest = []
    if "--" in words:
        rest = words[words.index("--") + 1:]
        words = words[:words.index("--")]
    for word in words:
        match = re.fullmatch(r"--(\w+)=(.*)", word)
        if not match or match[1] not in options:
            sys.exit("run.py: '%s': expected %s" % (word, ", ".join("--%s=" % name for name in options)))
        options[match[1]] = match[2]
    return options, rest


def verdict_of(status, text):
    """A word, and the line that tells most."""
    check = re.search(r"^ *Check +(.*)$", text, re.MULTILINE)
    if status == 0:
        return "ok", ""
    if status < 0 or "Stack dump" in text or "AddressSanitizer" in text:
        return "crashed", "status %d" % status
    error = re.search(r"^.*(?:error|build-\w+|tune-run): .*$", text, re.MULTILINE)
    line = check[1] if check else error[0] if error else text.strip().splitlines()[-1] if text.strip() else ""
    word = re.match(r"(wrong|run-crashed|run-timeout|inconclusive|not checked|not run)", check[1]) if check else None
    if word:
        return word[1], line
    for name in ("build-crashed", "build-timeout", "build-failed"):
        if name in text:
            return name, line
    return "refused", line


def run_one(seed, options, rest):
    module = subprocess.run([sys.executable, GENERATE, str(seed)], capture_output=True, text=True, check=True).stdout
    if options["allow"]:
        module = 'module attributes {tune.allow = ["%s"]} {\n%s}\n' % (options["allow"], module)
    path = os.path.join(options["keep"], "%s-%d.mlir" % (options["target"].split(":")[0], seed))
    with open(path, "w", encoding="utf-8") as file:
        file.write(module)
    command = [os.path.join(options["tools"], "tune-run"), path, "--db=", "--target=" + options["target"],
               "--build-time=%d" % BUILD_SECONDS, *rest]
    if options["target"].startswith("cuda"):
        command += ["--emit=ptx", "--output=" + path + ".ptx"]
    else:
        command += ["--time=0.001"]
    try:
        ran = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=SECONDS, check=False)
        status, text = ran.returncode, ran.stdout + ran.stderr
        verdict, line = verdict_of(status, text)
    except subprocess.TimeoutExpired as late:
        text = "".join(part.decode(errors="replace") for part in (late.stdout, late.stderr) if part)
        verdict, line = "hung", "after %d s" % SECONDS
    for name in os.listdir(options["keep"]):
        if name.startswith(os.path.basename(path) + ".ptx"):
            os.remove(os.path.join(options["keep"], name))
    fell_back = re.findall(r"is built by .*", text)
    if verdict == "ok" and not fell_back:
        os.remove(path)
    else:
        with open(path + ".log", "w", encoding="utf-8") as file:
            file.write(text)
    return seed, verdict, line, len(fell_back)


def main():
    options, rest = parse_options(sys.argv[1:])
    os.makedirs(options["keep"], exist_ok=True)
    end, seed = time.monotonic() + float(options["seconds"]), int(options["seed"])
    last = seed + int(options["count"])
    if int(options["count"]):
        end = float("inf")

    def goes_on():
        return time.monotonic() < end and (seed < last or end < float("inf"))
    counts, fallbacks = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(int(options["jobs"])) as pool:
        running = set()
        while running or goes_on():
            while len(running) < int(options["jobs"]) and goes_on():
                running.add(pool.submit(run_one, seed, options, rest))
                seed += 1
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                number, verdict, line, fell_back = future.result()
                counts[verdict] += 1
                fallbacks += fell_back > 0
                if verdict != "ok":
                    print("%d: %s: %s" % (number, verdict, line[:300]), flush=True)
    print("modules on %s: %s; %d with a task that fell back" % (
        options["target"], ", ".join("%d %s" % (count, word) for word, count in counts.most_common()), fallbacks))
    sys.exit(counts.total() != counts["ok"])


if __name__ == "__main__":
    main()
