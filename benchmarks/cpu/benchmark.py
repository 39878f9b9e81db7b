"""The benchmark against other libraries: fetch, tune, time, report. Started by benchmarks/cpu/run."""

import argparse
import datetime
import json
import os
import re
import signal
import sys
import time
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "common"))
import contest
import peers
import report
import tools
import workloads



def options_from(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/cpu/run", description=__doc__)
    numbers = lambda text: [int(part) for part in text.split(",")]
    parser.add_argument("--only", default="", metavar="REGEX", help="workloads whose name matches; "
                        "the table goes to stdout and not to docs/benchmarks.md")
    parser.add_argument("--rows", choices=workloads.SETS, default="libraries", help="which workloads; the "
                        "table of others than `libraries` goes to stdout (libraries)")
    parser.add_argument("--with-default", action="store_true", help="our own default, not tuned, as "
                        "another contestant")
    parser.add_argument("--list", action="store_true", help="name the workloads, do nothing")
    parser.add_argument("--trials", type=numbers, default=[64, 256], metavar="N,...",
                        help="configs tried for each task; several make several sets of figures (64,256)")
    parser.add_argument("--threads", type=numbers, default=None, metavar="N,...",
                        help="threads to run with (1, and the number of cores)")
    parser.add_argument("--with-torch", action="store_true", help="install PyTorch, too: 3 GB")
    parser.add_argument("--again", action="store_true", help="time again what has a result; "
                        "what was tuned stays")
    parser.add_argument("--seconds", type=float, default=20, help="at most so long for the timing of "
                        "a workload (20)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin", help="where our tools are, "
                        "built by `make build` if they are not there (build/bin)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "benchmark-cpu",
                        help="for everything this makes (build/benchmark-cpu)")
    return parser.parse_args(arguments)


class Bench(tools.Session):
    """What stays the same for all workloads."""

    def __init__(self, options):
        super().__init__(options.folder, ROOT)
        self.options = options
        self.peers, self.programs = self.folder / "peers", self.folder / "bin"
        # One CPU of each core.
        self.cores = sorted({contest.core_of(cpu): cpu for cpu in os.sched_getaffinity(0)}.values())

    def cpus(self, threads):
        """The last cores: interrupts and this program prefer the first."""
        return self.cores[-threads:]


def tool(bench, name, *arguments, log):
    return tools.run_tool(bench.options.bin / name, *arguments, log=log)


def tuned_folder(bench, threads, trials):
    return bench.folder / ("tuned-%d-%d" % (threads, trials))


def tuned(bench, workload, threads, trials):
    """Tunes, and builds the winner. Returns (path of the artifact, what the search says of itself)."""
    folder = tuned_folder(bench, threads, trials)
    folder.mkdir(parents=True, exist_ok=True)
    stem = folder / workload.name
    module, chosen, artifact, log, stamp = [
        stem.with_suffix(suffix) for suffix in (".mlir", ".tuned.mlir", ".so", ".log", ".json")]
    identity = {"revision": bench.revision, "module": workload.module}
    known = json.loads(stamp.read_text()) if stamp.exists() and artifact.exists() else {}
    if all(known.get(key) == value for key, value in identity.items()):
        return artifact, known["search"]
    module.write_text(workload.module)
    log.write_text("")
    start = time.monotonic()
    # One database for each number of trials, so that the figure for 64 does not profit from 256.
    tool(bench, "tune-opt", "--tune-search=evolutionary trials=%d threads=%d db=%s report=plain "
         "timing=true" % (trials, threads, bench.folder / ("tune-%d.db" % trials)), module, "-o", chosen,
         log=log)
    seconds = time.monotonic() - start
    tool(bench, "tune-run", chosen, "--db=", "--threads=%d" % threads, "--emit=so",
         "--output=%s" % artifact, log=log)
    built = re.search(r"([\d.]+) candidates built a second", log.read_text())
    search = {"seconds": seconds, "rate": float(built.group(1)) if built else None}
    if known and not built:  # the database knew it all: what counts is how long it took back then
        search = known["search"]
    stamp.write_text(json.dumps({**identity, "search": search}))
    return artifact, search


def by_default(bench, workload, threads, trials):
    """The artifact of the default schedules."""
    folder = tuned_folder(bench, threads, trials)
    folder.mkdir(parents=True, exist_ok=True)
    module, artifact, stamp = [(folder / workload.name).with_suffix(suffix) for suffix in (
        ".mlir", ".default.so", ".default.json")]
    identity = {"revision": bench.revision, "module": workload.module}
    if not (stamp.exists() and artifact.exists() and json.loads(stamp.read_text()) == identity):
        module.write_text(workload.module)
        tool(bench, "tune-run", module, "--db=", "--threads=%d" % threads, "--emit=so",
             "--output=%s" % artifact, log=folder / (workload.name + ".default.log"))
        stamp.write_text(json.dumps(identity))
    return artifact


def make_inputs(bench, workload):
    """Files with the raw bytes of each input; returns their paths."""
    import numpy
    random = numpy.random.default_rng(1)
    folder = bench.folder / "inputs"
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for i, (shape, element) in enumerate(workload.inputs):
        if element == "u8":
            array = random.integers(0, 256, shape, dtype=numpy.uint8)
        elif element == "i8":
            array = random.integers(-128, 128, shape, dtype=numpy.int8)
        else:
            array = random.uniform(-1, 1, shape).astype(numpy.float32)
            if workload.group == "whole":  # layer after layer: keep the values small
                array *= 0.05
            if element == "bf16":
                array = (array.view(numpy.uint32) >> 16).astype(numpy.uint16)
        paths.append(folder / ("%s.%d.bin" % (workload.name, i)))
        array.tofile(paths[-1])
    return paths


def same_output(workload, ours, other):
    """None, or by how much an output differs from ours, which the search checked."""
    import numpy
    if workload.result[1] != "f32":
        exact = {"i32": numpy.int32, "bf16": numpy.int16, "i8": numpy.int8}[workload.result[1]]
        left, right = numpy.fromfile(ours, exact), numpy.fromfile(other, exact)
        differing = int((left != right).sum())
        return "%d elements of its result differ" % differing if differing else None
    left, right = numpy.fromfile(ours, numpy.float32), numpy.fromfile(other, numpy.float32)
    scale = float(numpy.sqrt(numpy.mean(left.astype(numpy.float64) ** 2))) or 1.0
    error = float(numpy.max(numpy.abs(left - right))) / scale
    # Winograd in f32 is off by some 1e-3 of the values' size; another layout by all of it.
    return "its result is off by %.2g of its size" % error if not error <= 0.01 else None


def pairs_for(bench, workload, name, inputs, threads, trials):
    """What a contestant is told: ours needs the artifact and shapes, a peer the op."""
    pairs = [("output-bytes", workloads.bytes_of(*workload.result))]
    pairs += [("input", path) for path in inputs]
    if name.startswith("ours") or name == "default":
        artifact = by_default(bench, workload, threads, trials) if name == "default" else tuned(
            bench, workload, threads, trials)[0]
        return pairs + [("artifact", artifact)] + [
            ("shape", "x".join(map(str, shape))) for shape, _ in workload.inputs]
    described = [("argument", "x".join([*map(str, shape), element])) for shape, element in workload.inputs]
    described.append(("result", "x".join([*map(str, workload.result[0]), workload.result[1]])))
    described.append(("threads", threads))
    described.append(("module", tuned_folder(bench, threads, trials) / (workload.name + ".mlir")))
    return pairs + list(workload.op.items()) + described + list((workload.contestants[name] or {}).items())


def check(bench, workload, contestants, entry):
    """Takes out of the results who computes something else than we do."""
    reference, output = bench.folder / "output.ours", bench.folder / "output.other"
    for contestant in contestants:
        result = entry["results"].get(contestant.name)
        if result is None:
            continue
        result["form"] = contestant.form
        wrong = None
        try:
            if contestant.name == "ours":
                contestant.write(reference)
            elif not contestant.name.startswith("ours:"):  # that is another workload
                contestant.write(output)
                wrong = same_output(workload, reference, output)
        except contest.ContestError as error:
            wrong = str(error)
        if wrong:
            entry["errors"][contestant.name] = wrong
            del entry["results"][contestant.name]


def timed(bench, workload, everything, threads, trials):
    """One entry of results.json."""
    entry = {"revision": bench.revision, "date": datetime.date.today().isoformat(), "errors": {}}
    log = bench.folder / "contestants.log"
    try:
        _, entry["search"] = tuned(bench, workload, threads, trials)
    except RuntimeError as error:
        return {**entry, "failed": str(error)}
    contestants = []
    try:
        for name in ["ours", *["default"] * bench.options.with_default, *workload.contestants]:
            of = everything[name.partition(":")[2]] if name.startswith("ours:") else workload
            try:
                pairs = pairs_for(bench, of, name, make_inputs(bench, of), threads, trials)
                contestants.append(contest.Contestant(
                    name, peers.command(name, bench.programs, pairs), peers.environment(threads),
                    bench.cpus(threads), log))
            except (contest.ContestError, RuntimeError) as error:
                entry["errors"][name] = str(error)
        if "ours" in entry["errors"]:
            return {**entry, "failed": entry["errors"]["ours"]}
        entry["roofline"] = json.loads(tool(bench, "tune-measure", "--roofline", "--threads=%d" % threads,
                                            log=log))
        entry["results"], errors = contest.compete(contestants, bench.cpus(threads),
                                                    budget=bench.options.seconds)
        entry["errors"].update(errors)
        check(bench, workload, contestants, entry)
        if "ours" not in entry["results"]:
            return {**entry, "failed": entry["errors"]["ours"]}
        return entry
    finally:
        for contestant in contestants:
            contestant.close()


def benchmark(bench, selected, everything):
    threads = bench.options.threads or sorted({1, len(bench.cores)})
    for trials in bench.options.trials:
        for count in threads:
            for number, workload in enumerate(selected):
                key = "%s/%d/%d" % (workload.name, count, trials)
                if bench.is_done(key) and not bench.options.again:
                    continue
                print("%d of %d: %s, %d thread%s, %d trials" % (
                    number + 1, len(selected), workload.name, count, "s" * (count > 1), trials),
                      file=sys.stderr)
                bench.results[key] = timed(bench, workload, everything, count, trials)
                bench.save()
                print(report.line(workload, bench.results[key]), file=sys.stderr)


def main(arguments):
    options = options_from(arguments)
    rows = workloads.SETS[options.rows]()
    try:
        selected = [row for row in rows if re.search(options.only, row.name)]
    except re.error as error:
        sys.exit("benchmarks/cpu: --only=%s is no regular expression: %s" % (options.only, error))
    if options.list:
        print("\n".join(row.name for row in selected))
        return
    if not selected:
        sys.exit("benchmarks/cpu: no workload's name matches '%s'; --list names them" % options.only)
    folder = options.folder.resolve() / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    python = peers.fetch_pypi(folder, options.with_torch)
    if Path(sys.executable) != python:
        os.execv(python, [str(python), __file__, *arguments])
    if not (options.bin / "tune-opt").exists():
        peers.run(["make", "build"], cwd=ROOT)
    peers.fetch_debian(folder)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    bench = Bench(options)
    peers.build(folder, bench.programs)
    try:
        benchmark(bench, selected, {row.name: row for row in rows})
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
    text = report.text(selected, bench.results, peers.versions(folder))
    if options.only or options.rows != "libraries":
        print(text)
    else:
        report.publish(ROOT / "docs", text, selected, bench.results)


if __name__ == "__main__":
    main(sys.argv[1:])
