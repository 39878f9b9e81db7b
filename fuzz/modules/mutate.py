#!/usr/bin/env python3
"""Mutates modules, and gives what comes of it to tune-opt --tune-annotate and to tune-worker.

    fuzz/modules/mutate.py [--tools=build/bin] [--seed=1] [--count=100] [--seconds=0] [--jobs=N]
                           [--limit=120] [--keep=FOLDER] [FILE or FOLDER…]
    fuzz/modules/mutate.py --print --seed=SEED [FILE or FOLDER…]       the mutant alone

Mutant after mutant, by ascending seed, of the files (examples/) is made by changes of bytes, of tokens, of sizes,
of types and ops, or of how deep something is nested, until there were --count of them or --seconds (0: any time) are
over. The same seed and files give the same mutant.

A mutant is annotated by tune-opt, a process each, and opened and built by a tune-worker that all mutants of a job
share, as a driver does. Any answer is right that is one. What is none is kept in FOLDER (build/found-mutants) and
makes this fail:

    crashed    tune-opt or what read the mutant in tune-worker ended by a signal, and stock mlir-opt does not
    died       tune-worker did: a mutant costs a child, never the server
    hung       no answer within --limit seconds
    silent     a failure without a word

What stock mlir-opt crashes on as well is counted as "upstream's". So are, by what was told of them, builds that
failed, crashed or ran into their limit, each in a child; one of each kind is kept, to be looked at."""

import collections
import concurrent.futures
import json
import os
import random
import re
import select
import shutil
import struct
import subprocess
import sys
import threading
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD_SECONDS, BUILD_BYTES = 20, 8e9
TARGET = {"name": "cpu", "device": None, "triple": None, "cpu": None, "features": None}
FINDINGS = ("crashed", "died", "hung", "silent")
NOTED = ("upstream's", "build-failed", "build-crashed", "build-timeout")

SIZES = ("0", "1", "-1", "2", "3", "7", "17", "63", "65", "127", "1000", "4097", "2147483647", "2147483648", "4294967296",
         "1000000000000", "9223372036854775807", "9223372036854775808", "99999999999999999999", "?")
TYPES = ("f32", "f16", "bf16", "f64", "i1", "i4", "i8", "i16", "i32", "i64", "i128", "index", "f8E4M3FN", "f8E5M2", "f128",
         "tf32", "ui8", "si32", "i3", "i0", "none", "complex<f32>", "vector<4xf32>", "!llvm.ptr", "tensor<4xf32>",
         "memref<4xf32>")
TOKEN = re.compile(r"//[^\n]*|\"[^\"\n]*\"|[%@#!^]?[A-Za-z_][\w.$-]*(?:#\d+)?|%\d+(?:#\d+)?|->|\d+(?:\.\d+(?:[eE][+-]?\d+)?)?"
                   r"|\s+|.", re.DOTALL)
SHAPE = re.compile(r"(?<=[<x])(?:\d+|\?)(?=x)")


#=== Mutations ===========================================================================

def of_bytes(text, draw, corpus):
    data = bytearray(text.encode("utf-8", "surrogateescape"))
    for _ in range(draw.choice((1, 1, 1, 2, 4, 8, 32))):
        at = draw.randrange(len(data) + 1)
        kind = draw.randrange(6)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << draw.randrange(8)
        elif kind == 1:
            data[at:at] = bytes(draw.randrange(256) for _ in range(draw.choice((1, 1, 4, 16))))
        elif kind == 2:
            del data[at:at + draw.choice((1, 1, 4, 40))]
        elif kind == 3:
            part = data[at:at + draw.choice((4, 40, 400))]
            to = draw.randrange(len(data) + 1)
            data[to:to] = part
        elif kind == 4:
            data[at:at + 1] = draw.choice((b"\0", b"\xff", b"\xc3\x28", b"\r", b"\"", b"}", b"{", b"(", b">", b"<"))
        elif draw.random() < 0.3:
            del data[at:]
    return data.decode("utf-8", "surrogateescape")


def kind_of(token):
    """Tokens of a kind may stand for each other."""
    if not token.strip() or token.startswith("//"):
        return None
    if token[0] in "%@#!^\"":
        return token[0]
    if token[0].isdigit():
        return "0"
    if "." in token:
        return "op"
    return "word" if token[0].isalpha() else "sign"


def of_tokens(text, draw, corpus):
    tokens = TOKEN.findall(text)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 8))):
        places = [i for i, token in enumerate(tokens) if kind_of(token)]
        if not places:
            break
        at = draw.choice(places)
        kind = draw.randrange(6)
        if kind == 0:
            tokens[at] = ""
        elif kind == 1:
            tokens[at] += " " + tokens[at]
        elif kind == 2:
            other = draw.choice(places)
            tokens[at], tokens[other] = tokens[other], tokens[at]
        else:
            alike = [token for token in (tokens if kind < 5 else corpus.tokens) if kind_of(token) == kind_of(tokens[at])]
            tokens[at] = draw.choice(alike or tokens)
    return "".join(tokens)


def of_sizes(text, draw, corpus):
    """Of one place, or of all that have the same size, so that the module may stay valid."""
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        places = list((SHAPE if draw.random() < 0.7 else re.compile(r"(?<![\w.%#])-?\d+(?![\w.])")).finditer(text))
        if not places:
            break
        at, size = draw.choice(places), draw.choice(SIZES)
        if draw.random() < 0.7:
            text = re.sub(r"(?<![\w.%%#])%s(?=x)|(?<=x)%s(?=x)|(?<![\w.%%#])%s(?![\w.])" % ((re.escape(at[0]),) * 3),
                          lambda _: size, text)
        else:
            text = text[:at.start()] + size + text[at.end():]
    return text


def of_types(text, draw, corpus):
    """An element type for another, everywhere or at one place; or an op for another one."""
    if draw.random() < 0.3:
        ops = re.findall(r"\b(?:linalg|arith|math|tensor|scf|func|memref|vector)\.[a-z_0-9]+", text)
        if ops:
            old = draw.choice(ops)
            new = draw.choice([op for op in corpus.ops if op.split(".")[0] == old.split(".")[0]] or corpus.ops)
            return re.sub(r"\b%s\b" % re.escape(old), new, text, count=draw.choice((0, 1)))
    found = re.findall(r"(?<![\w.])(?:\d+x|\?x)*([bf]*f\d+|i\d+|index)\b", text)
    if not found:
        return text
    old, new = draw.choice(found), draw.choice(TYPES)
    return re.sub(r"(?<![A-Za-z_.])%s\b|(?<=x)%s\b" % (old, old), lambda _: new, text, count=draw.choice((0, 0, 1, 2)))


def of_nesting(text, draw, corpus):
    depth = draw.choice((1, 2, 8, 60, 200, 1000, 5000))
    kind = draw.randrange(8)
    lines = text.split("\n")
    if kind == 0:
        return "module {\n" * depth + text + "\n}" * depth
    if kind in (1, 2):  # lines of a body, in branches or loops
        places = [i for i, line in enumerate(lines) if re.match(r"\s+%\S+ = (?:arith|tensor|linalg)\.", line)]
        if places:
            at = draw.choice(places)
            head = "scf.execute_region {\n" if kind == 1 else "%nest_{0} = arith.constant {0} : index\n" \
                   "scf.for %nest_i{0} = %nest_{0} to %nest_{0} step %nest_{0} {{\n"
            lines[at:at] = [head.format(i) if kind == 2 else head for i in range(depth)] + [
                "scf.yield\n}" if kind == 1 else "}"] * depth
        return "\n".join(lines)
    if kind == 3:  # a type in itself
        found = list(re.finditer(r"tensor<[^<>]*>", text))
        if found:
            at = draw.choice(found)
            word = draw.choice(("tuple<", "tensor<2x", "memref<2x", "vector<2x", "complex<"))
            return text[:at.start()] + word * depth + at[0] + ">" * depth + text[at.end():]
    if kind == 4:  # an attribute
        return re.sub(r"dense<[^<>]*>|\[[^\[\]]*\]", lambda m: "[" * depth + m[0] + "]" * depth, text, count=1)
    if kind == 5:  # an affine expression
        return re.sub(r"\bd0\b(?=[^()]*\)>)", "(" * depth + "d0" + ")" * depth, text, count=draw.choice((1, 0)))
    if kind == 6:  # functions that call each other
        found = re.search(r"func\.func[^@]*@(\w+)", text)
        if found:
            return text + "\nfunc.func private @again() {\n  func.call @again() : () -> ()\n  return\n}\n" * draw.choice((1, 2))
    first = draw.randrange(len(lines))  # a part of it once more, somewhere
    part = lines[first:first + draw.choice((1, 3, 20))]
    at = draw.randrange(len(lines) + 1)
    return "\n".join(lines[:at] + part * min(depth, 60) + lines[at:])


MUTATIONS = (("bytes", of_bytes), ("tokens", of_tokens), ("sizes", of_sizes), ("types", of_types),
             ("nesting", of_nesting))


class Corpus:
    def __init__(self, places):
        paths = []
        for place in places:
            if os.path.isdir(place):
                paths += [os.path.join(place, name) for name in sorted(os.listdir(place)) if name.endswith(".mlir")]
            else:
                paths.append(place)
        if not paths:
            sys.exit("mutate.py: no module in %s" % ", ".join(places))
        self.files = []
        for path in paths:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                self.files.append((os.path.basename(path), file.read()))
        tokens = {token for _, text in self.files for token in TOKEN.findall(text) if kind_of(token)}
        self.tokens = sorted(tokens)
        self.ops = sorted(token for token in tokens
                          if re.fullmatch(r"(?:linalg|arith|math|tensor|scf|func|memref|vector)\.[a-z_0-9]+", token))

    def mutant(self, seed):
        """What was done to which file, and the text."""
        draw = random.Random(seed)
        name, text = draw.choice(self.files)
        done = []
        for _ in range(draw.choice((1, 1, 1, 2))):
            kind, mutate = draw.choice(MUTATIONS)
            text = mutate(text, draw, self)
            done.append(kind)
        return name, "+".join(done), text


#=== The tools ===========================================================================

class Died(Exception):
    pass


class Late(Exception):
    pass


class Worker:
    """A tune-worker, and what its driver says (docs/protocol.md)."""

    def __init__(self, tools, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)
        self.errors = open(os.path.join(folder, "stderr"), "w+", encoding="utf-8", errors="replace")
        self.process = subprocess.Popen([os.path.join(tools, "tune-worker")], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=self.errors, cwd=folder)
        self.buffer, self.ticket = b"", 0
        self.ask({"hello": "mutate.py", "protocol": 1}, 60)

    def ask(self, message, seconds):
        data = json.dumps(message).encode()
        try:
            self.process.stdin.write(struct.pack("<I", len(data)) + data)
            self.process.stdin.flush()
        except OSError as error:
            raise Died(str(error)) from error
        return self.reply(time.monotonic() + seconds)

    def reply(self, end):
        while True:
            if len(self.buffer) >= 4:
                size = struct.unpack("<I", self.buffer[:4])[0]
                if len(self.buffer) >= 4 + size:
                    text, self.buffer = self.buffer[4:4 + size], self.buffer[4 + size:]
                    return json.loads(text)
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.process.stdout], [], [], left)[0]:
                raise Late()
            got = os.read(self.process.stdout.fileno(), 1 << 16)
            if not got:
                raise Died("status %s" % self.process.wait())
            self.buffer += got

    def build(self, path, limit):
        """Opens the module, and builds it. A word and a line of what came of it."""
        reply = self.ask({
            "do": "open", "task": "m", "payload": None, "payload_source": path, "describe": True, "target": TARGET,
            "threads": 1, "module": {"database": None, "schedule": None, "config": None, "flush_cache": False,
                                     "strict": False}}, limit)
        if "error" in reply:
            line = reply["error"]["message"]
            if "killed by" not in line:
                return "refused", line
            return ("upstream's" if crashes_upstream(path, limit) else "crashed"), line
        self.ticket += 1
        reply = self.ask({
            "do": "build", "ticket": self.ticket, "task": "m", "config": {}, "emit": "so",
            "output": os.path.join(self.folder, "m.so"),
            "limits": {"seconds": BUILD_SECONDS, "bytes": BUILD_BYTES}, "cpus": []}, limit + BUILD_SECONDS)
        error = reply.get("error", "")
        return reply.get("verdict", "refused"), error["message"] if isinstance(error, dict) else error or ""

    def end(self):
        self.process.kill()
        self.process.wait()
        self.errors.close()


def crashes_upstream(path, limit):
    try:
        for name in ("mlir-opt", "mlir-opt-22", "/usr/lib/llvm-22/bin/mlir-opt"):
            if shutil.which(name):
                return subprocess.run([name, path, "-o", os.devnull], stdout=subprocess.DEVNULL,
                                      stderr=subprocess.DEVNULL, timeout=limit, check=False).returncode < 0
    except subprocess.TimeoutExpired:
        return True
    return False


def annotate(tools, path, limit):
    try:
        ran = subprocess.run([os.path.join(tools, "tune-opt"), "--tune-annotate", path, "-o", os.devnull],
                             stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, timeout=limit, check=False)
    except subprocess.TimeoutExpired:
        return "hung", "tune-opt: after %d s" % limit
    text = ran.stderr.decode(errors="replace")
    line = next((line for line in text.splitlines() if "error:" in line or "tune-opt:" in line), "")
    if ran.returncode < 0 or "killed by" in text or "Stack dump" in text:
        return ("upstream's" if crashes_upstream(path, limit) else "crashed"), "status %d: %s" % (ran.returncode, line)
    if ran.returncode == 0:
        return "annotated", ""
    if ran.returncode == 1 and line:
        return "refused", line
    return "silent", "tune-opt: status %d: %s" % (ran.returncode, text[:200])


def kind_of_line(line):
    """What was told, without places and numbers: what is alike is counted together."""
    return re.sub(r"\d+", "N", re.sub(r"\S*\.mlir(:\d+)*:?|%\S+|@\S+|'[^']*'|\"[^\"]*\"", "", line))[:160]


class Run:
    def __init__(self, options, corpus):
        self.options, self.corpus = options, corpus
        self.local, self.lock = threading.local(), threading.Lock()
        self.workers, self.kinds = [], collections.Counter()
        self.annotated, self.built, self.mutated = (collections.Counter() for _ in range(3))

    def worker(self):
        if getattr(self.local, "worker", None) is None:
            with self.lock:
                folder = os.path.join(self.options["keep"], "worker-%d" % len(self.workers))
                self.workers.append(None)
            self.local.worker = Worker(self.options["tools"], folder)
            with self.lock:
                self.workers.append(self.local.worker)
        return self.local.worker

    def drop_worker(self):
        self.local.worker.end()
        self.local.worker = None

    def build(self, path):
        limit = float(self.options["limit"])
        worker = self.worker()
        try:
            return worker.build(path, limit)
        except Died as died:
            with open(worker.errors.name, encoding="utf-8", errors="replace") as errors:
                told = errors.read()[-300:]
            self.drop_worker()
            return "died", "tune-worker: %s %s" % (died, told)
        except Late:
            self.drop_worker()
            return "hung", "tune-worker: after %g s" % limit

    def one(self, seed):
        name, done, text = self.corpus.mutant(seed)
        path = os.path.join(self.options["keep"], "mutant-%d.mlir" % seed)
        with open(path, "w", encoding="utf-8", errors="surrogateescape") as file:
            file.write(text)
        outcomes = (annotate(self.options["tools"], path, float(self.options["limit"])), self.build(path))
        if outcomes[1][0] in ("build-failed", "refused") and not outcomes[1][1]:
            outcomes = (outcomes[0], ("silent", "tune-worker"))
        is_kept = False
        with self.lock:
            self.mutated[done] += 1
            for counter, (word, line) in zip((self.annotated, self.built), outcomes):
                counter[word] += 1
                kind = "%s: %s" % (word, kind_of_line(line))
                if word in FINDINGS or word in NOTED:
                    is_new = not self.kinds[kind]
                    self.kinds[kind] += 1
                    is_kept = is_kept or is_new or word in FINDINGS
                    if is_new or word in FINDINGS:
                        print("%d: %s, %s: %s: %s" % (seed, name, done, word, line[:300]), flush=True)
        if not is_kept:
            os.remove(path)

    def report(self):
        for worker in self.workers:
            if worker:
                worker.end()
        for name in os.listdir(self.options["keep"]):
            if name.startswith("worker-"):
                shutil.rmtree(os.path.join(self.options["keep"], name))
        print("mutants: %d: %s" % (self.mutated.total(), ", ".join("%d of %s" % (n, w) for w, n in sorted(
            self.mutated.items()))))
        for what, counter in (("tune-opt --tune-annotate", self.annotated), ("tune-worker", self.built)):
            print("%s: %s" % (what, ", ".join("%d %s" % (count, word) for word, count in counter.most_common())))
        for kind, count in self.kinds.most_common():
            print("  %5d  %s" % (count, kind))
        return sum(counter[word] for counter in (self.annotated, self.built) for word in FINDINGS)


def parse_options(words):
    options = {"tools": os.path.join(SOURCE, "build", "bin"), "seed": "1", "count": "100", "seconds": "0",
               "jobs": str(os.cpu_count()), "limit": "120", "keep": os.path.join(SOURCE, "build", "found-mutants")}
    places, is_printed = [], False
    for word in words:
        match = re.fullmatch(r"--(\w+)=(.*)", word)
        if word == "--print":
            is_printed = True
        elif match and match[1] in options:
            options[match[1]] = match[2]
        elif word.startswith("-"):
            sys.exit("mutate.py: '%s': expected --print, %s" % (word, ", ".join("--%s=" % name for name in options)))
        else:
            places.append(word)
    return options, places or [os.path.join(SOURCE, "examples")], is_printed


def main():
    options, places, is_printed = parse_options(sys.argv[1:])
    corpus = Corpus(places)
    seed = int(options["seed"])
    if is_printed:
        sys.stdout.buffer.write(corpus.mutant(seed)[2].encode("utf-8", "surrogateescape"))
        return
    os.makedirs(options["keep"], exist_ok=True)
    options["keep"], options["tools"] = os.path.abspath(options["keep"]), os.path.abspath(options["tools"])
    run, last = Run(options, corpus), seed + int(options["count"])
    end = time.monotonic() + (float(options["seconds"]) or float("inf"))
    with concurrent.futures.ThreadPoolExecutor(int(options["jobs"])) as pool:
        running = set()
        while running or (seed < last and time.monotonic() < end):
            while len(running) < int(options["jobs"]) and seed < last and time.monotonic() < end:
                running.add(pool.submit(run.one, seed))
                seed += 1
            done, running = concurrent.futures.wait(running, return_when=concurrent.futures.FIRST_COMPLETED)
            for future in done:
                future.result()
    sys.exit(run.report() > 0)


if __name__ == "__main__":
    main()
