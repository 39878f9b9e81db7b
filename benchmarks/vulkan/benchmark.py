"""The benchmark on a Vulkan device: fetch, tune, time, report. Started by benchmarks/vulkan/run."""

import argparse
import datetime
import itertools
import json
import os
import re
import signal
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "common"))
import peers
import report
import servers
import tables
import tools
import workloads

TRY_SECONDS = 30  # for one of IREE's programs to be checked and timed, of which some take as long a run
RUNS = 100  # that programs in turns may need, if these take longer than the samples are to
RUN_BYTES = 8e9


def options_from(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/vulkan/run", description=__doc__)
    parser.add_argument("--only", default="", metavar="REGEX", help="workloads whose name matches; "
                        "the table goes to stdout and not to docs/benchmarks.md")
    parser.add_argument("--list", action="store_true", help="name the workloads, do nothing")
    parser.add_argument("--trials", type=int, default=256, metavar="N",
                        help="configs tried for each task (256)")
    parser.add_argument("--threads", type=int, default=1, metavar="N",
                        help="threads of a device that is software (1)")
    parser.add_argument("--device", default=None, metavar="NAME",
                        help="number of the device, or a part of its name (the first)")
    parser.add_argument("--again", action="store_true", help="time again what has a result; "
                        "what was tuned stays")
    parser.add_argument("--seconds", type=float, default=5, metavar="S",
                        help="at most so long for the samples of a program or peer (5)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin", help="where our tools are, "
                        "built by `make build` if they are not there (build/bin)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "benchmark-vulkan",
                        help="for everything this makes (build/benchmark-vulkan)")
    return parser.parse_args(arguments)


class Bench(tools.Session):
    """What stays the same for all workloads."""

    def __init__(self, options):
        super().__init__(options.folder, ROOT)
        self.options = options
        self.log = self.folder / "tools.log"
        self.target = "vulkan:%s" % options.device if options.device else "vulkan"
        # The last CPUs: interrupts and this program prefer the first.
        self.cpus = sorted(os.sched_getaffinity(0))[-options.threads:]

    def fingerprint(self):
        device = ["--device=%s" % self.options.device] if self.options.device else []
        return json.loads(self.tool("tune-measure", "--fingerprint", "--target=vulkan",
                                    "--threads=%d" % self.options.threads, *device))

    def key(self, workload):
        options = self.options
        return "%s/%s/%d/%d" % (workload.name, options.device or "", options.threads, options.trials)

    def tool(self, name, *arguments):
        return tools.run_tool(self.options.bin / name, *arguments, log=self.log)


def our_programs(bench, workload, folder):
    """Paths of what the defaults make, and of the search's winner."""
    plain, chosen = folder / "module.mlir", folder / "tuned.mlir"
    plain.write_text(workload.module)
    # One database for each number of trials, so that the figure for 64 does not profit from 256.
    bench.tool("tune-opt", "--tune-search=evolutionary trials=%d threads=%d target=%s db=%s report=plain" % (
        bench.options.trials, bench.options.threads, bench.target,
        bench.folder / ("tune-%d.db" % bench.options.trials)), plain, "-o", chosen)
    paths = []
    for module, name in ((plain, "default"), (chosen, "tuned")):
        paths.append(folder / (name + ".program"))
        bench.tool("tune-run", module, "--db=", "--target=" + bench.target, "--emit=program",
                   "--threads=%d" % bench.options.threads, "--output=%s" % paths[-1])
    return paths


def run_programs(bench, measure, about, programs, seconds, slowest=0.0):
    """tune-measure's reply: the programs in turns, each checked, times relative to the first. A run of
    the slowest is known to take so many seconds."""
    limits = {"seconds": TRY_SECONDS + 2 * seconds * len(programs) + RUNS * slowest, "bytes": RUN_BYTES}
    return measure.ask(
        do="run", ticket=1, target="vulkan", device=bench.options.device, threads=bench.options.threads,
        cpus=bench.cpus, artifacts=[str(path) for path in programs], inputs=[], outputs=[],
        measure={"budget": seconds, "precision": 0.0025}, limits=limits, **about)


def best_of_iree(bench, workload, fingerprint, measure, about, folder):
    """(variant, path) of the fastest program of IREE's that is right, or None twice; and a dictionary of
    what each variant came to: seconds, or why not."""
    import iree_programs  # there when the peers have been fetched
    paths, tried, seen = {}, {}, set()
    for target, level in itertools.product([None, *iree_programs.KNOWN_TARGETS], iree_programs.LEVELS):
        name = "%s %s" % (target or "described", level)
        try:
            path = iree_programs.make(workload.module, target, level, fingerprint,
                                      folder / ("iree " + name).replace(" ", "-"))
            if path.read_bytes() in seen:
                continue
            seen.add(path.read_bytes())
            reply = run_programs(bench, measure, about, [path], min(0.5, bench.options.seconds))
        except (iree_programs.Unsupported, servers.ServerError) as error:
            tried[name] = str(error)
            continue
        is_right = reply["verdict"] == "ok"
        paths[name] = path
        tried[name] = reply["results"][0]["median"] if is_right else "%(verdict)s: %(error)s" % reply
    right = {name: seconds for name, seconds in tried.items() if not isinstance(seconds, str)}
    best = min(right, key=right.get, default=None)
    return best, paths.get(best), tried


def run_peer(bench, fingerprint, program, arguments):
    """(its name in the table, its result)."""
    label = "wgpu" if program == "wgpu_matmul" else "ncnn %s" % arguments[0]
    try:
        return label, peers.timed(program, arguments, fingerprint["model"], bench.options.threads, bench.cpus,
                                  bench.options.seconds)
    except peers.PeerError as error:
        return label, {"error": str(error)}


def timed(bench, workload, fingerprint, worker, measure):
    """One entry of results.json."""
    entry = {"revision": bench.revision, "date": datetime.date.today().isoformat()}
    folder = bench.folder / bench.key(workload).replace("/", "-")
    folder.mkdir(exist_ok=True)
    try:
        about = servers.open_task(worker, workload, folder)
        plain, tuned = our_programs(bench, workload, folder)
    except (servers.ServerError, RuntimeError) as error:
        return {**entry, "failed": str(error)}
    variant, path, tried = best_of_iree(bench, workload, fingerprint, measure, about, folder)
    entry.update({"iree variant": variant, "iree tried": tried})
    programs = {"tuned": tuned, "default": plain, **({"iree": path} if path else {})}
    reply = run_programs(bench, measure, about, programs.values(), bench.options.seconds,
                         tried.get(variant, 0))
    if reply["verdict"] != "ok":
        culprit = list(programs)[reply.get("artifact", 0)]
        return {**entry, "failed": "%s: %s: %s" % (culprit, reply["verdict"], reply["error"])}
    for name, result, ratio in zip(programs, reply["results"], reply["ratios"]):
        entry[name] = {"median": result["median"], "ratio": ratio}
    entry["peers"] = dict(run_peer(bench, fingerprint, *peer) for peer in workload.peers)
    return entry


def benchmark(bench, selected, fingerprint):
    with servers.Server(bench.options.bin / "tune-worker", bench.log) as worker, \
         servers.Server(bench.options.bin / "tune-measure", bench.log) as measure:
        for number, workload in enumerate(selected):
            key = bench.key(workload)
            if bench.is_done(key) and not bench.options.again:
                continue
            print("%d of %d: %s" % (number + 1, len(selected), workload.name), file=sys.stderr)
            bench.results[key] = timed(bench, workload, fingerprint, worker, measure)
            bench.save()
            print(report.line(workload, bench.results[key]), file=sys.stderr)


def main(arguments):
    options = options_from(arguments)
    rows = workloads.all_workloads()
    try:
        selected = [row for row in rows if re.search(options.only, row.name)]
    except re.error as error:
        sys.exit("benchmarks/vulkan: --only=%s is no regular expression: %s" % (options.only, error))
    if options.list:
        print("\n".join(row.name for row in selected))
        return
    if not selected:
        sys.exit("benchmarks/vulkan: no workload's name matches '%s'; --list names them" % options.only)
    folder = options.folder.resolve() / "peers"
    folder.mkdir(parents=True, exist_ok=True)
    python = peers.fetch(folder)
    if Path(sys.executable) != python:
        os.execv(python, [str(python), __file__, *arguments])
    if not (options.bin / "tune-opt").exists():
        peers.run(["make", "-C", ROOT, "build"])
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    bench = Bench(options)
    try:
        fingerprint = bench.fingerprint()
        benchmark(bench, selected, fingerprint)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
    except (RuntimeError, servers.ServerError) as error:
        sys.exit("benchmarks/vulkan: %s" % error)
    entries = {row.name: (row, bench.results.get(bench.key(row))) for row in rows}
    text = report.text(selected, entries, fingerprint, options, peers.versions())
    if options.only:
        print(text)
    else:
        tables.publish(ROOT / "docs" / "benchmarks.md", "benchmarks/vulkan/run", text)


if __name__ == "__main__":
    main(sys.argv[1:])
