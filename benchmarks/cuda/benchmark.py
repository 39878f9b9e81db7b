"""The benchmark on an NVIDIA GPU: tune, time, report. Started by benchmarks/cuda/run."""

import argparse
import datetime
import json
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "benchmarks" / "cuda"
sys.path += [str(ROOT / "benchmarks" / "common"), str(ROOT / "benchmarks" / "cpu")]
import contest
import elsewhere
import page
import rows
import servers
import tables
import tools

NO_DEVICE = 3  # exit status, as that of our tools
REFERENCE_SECONDS = 3600  # the plain lowering of 8192^3 on one core of the CPU
RUN_SECONDS, RUN_BYTES = 60, 16e9
SAMPLE_SECONDS = 0.2  # of ours and of a peer alike
PRECISION = 1e-4  # finer than ever reached: the whole time is for samples


def options_from(arguments):
    parser = argparse.ArgumentParser(prog="benchmarks/cuda/run", description=__doc__)
    parser.add_argument("--only", default="", metavar="REGEX", help="workloads whose name matches; "
                        "the table goes to stdout and not to docs/benchmarks.md")
    parser.add_argument("--list", action="store_true", help="name the workloads, do nothing")
    parser.add_argument("--trials", type=int, default=None, metavar="N",
                        help="configs tried for each task (256; 2 with --dry-run)")
    parser.add_argument("--device", default=None, metavar="NAME", help="number of the device, a part of its "
                        "name, or an architecture as sm_90 (the first)")
    parser.add_argument("--python", default=sys.executable, metavar="PATH",
                        help="an interpreter that has PyTorch (the one that runs this)")
    parser.add_argument("--again", action="store_true", help="time again what has a result; "
                        "what was tuned stays")
    parser.add_argument("--seconds", type=float, default=20, metavar="S",
                        help="at most so long for the timing of a workload, after six rounds (20)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin", help="where our tools are, "
                        "built by `make build` if they are not there (build/bin)")
    parser.add_argument("--folder", type=Path, default=None,
                        help="for everything this makes (build/benchmark-cuda, with --dry-run "
                        "build/benchmark-cuda-dry)")
    parser.add_argument("--dry-run", action="store_true", help="small workloads on the emulator of the tests; "
                        "the table goes to stdout, its times are made up")
    modes = parser.add_mutually_exclusive_group()
    modes.add_argument("--export", type=Path, default=None, metavar="DIR",
                       help="measure nothing, write candidates for tune-measure on another machine")
    modes.add_argument("--results", type=Path, default=None, metavar="DIR",
                       help="the table of what came back of --export, to stdout")
    parser.add_argument("--fingerprint", type=Path, default=None, metavar="FILE", help="what tune-measure "
                        "--fingerprint says of the other machine's device, for --export")
    options = parser.parse_args(arguments)
    options.trials = options.trials or (2 if options.dry_run else 256)
    options.again = options.again or options.dry_run
    options.folder = options.folder or ROOT / "build" / (
        "benchmark-cuda-dry" if options.dry_run else "benchmark-cuda")
    if options.fingerprint and not options.export:
        parser.error("--fingerprint is for --export")
    return options


class Bench(tools.Session):
    """What stays the same for all workloads."""

    def __init__(self, options):
        super().__init__(options.folder, ROOT)
        self.options, self.log = options, self.folder / "tools.log"
        self.device = ["--device=%s" % options.device] if options.device else []
        # The last CPU: interrupts and this program prefer the first.
        self.cpus = sorted(os.sched_getaffinity(0))[-1:]
        self.target = "cuda:%s" % options.device if options.device else "cuda"

    def key(self, workload):
        return "%s/%s/%d" % (workload.name, self.options.device or "", self.options.trials)

    def tool(self, name, *arguments):
        return tools.run_tool(self.options.bin / name, *arguments, log=self.log)

    def ask_device(self, question):
        return json.loads(self.tool("tune-measure", question, "--target=cuda", *self.device))


class Ours:
    """One of our programs in contest.compete: tune-measure times it, in a child of its own."""

    name, form = "ours", "tuned"

    def __init__(self, measure, task, program):
        self.measure, self.task, self.program = measure, task, program

    def run(self, _):
        reply = self.measure.ask(
            do="measure", ticket=1, task=self.task, artifact=str(self.program), best=None,
            measure={"budget": SAMPLE_SECONDS, "precision": PRECISION},
            limits={"seconds": RUN_SECONDS, "bytes": RUN_BYTES})
        if reply["verdict"] != "ok":
            raise contest.ContestError("%(verdict)s: %(error)s" % reply)
        return reply["median"]


def our_programs(bench, workload, folder):
    """Paths of what the defaults make, and of the search's winner."""
    plain, chosen = folder / "module.mlir", folder / "tuned.mlir"
    plain.write_text(workload.module)
    # One database for each number of trials, so that the figure for 64 does not profit from 256.
    bench.tool("tune-opt", "--tune-search=evolutionary trials=%d target=%s db=%s report=plain" % (
        bench.options.trials, bench.target, bench.folder / ("tune-%d.db" % bench.options.trials)),
               plain, "-o", chosen)
    paths = []
    for module, name in ((plain, "default"), (chosen, "tuned")):
        paths.append(folder / (name + ".program"))
        bench.tool("tune-run", module, "--db=", "--target=" + bench.target, "--emit=program",
                   "--output=%s" % paths[-1])
    return paths


def start_peers(bench, workload, model, errors):
    """The contestants that are ready; what the others lack goes into `errors`."""
    described = [("argument", "x".join([*map(str, shape), element])) for shape, element in workload.inputs]
    contestants = []
    for name, form in workload.contestants.items():
        pairs = [*workload.op.items(), *form.items(), *described, ("device", model)]
        command = [bench.options.python, HERE / "cuda_torch.py"] + ["%s=%s" % pair for pair in pairs]
        try:
            contestants.append(contest.Contestant(name, command, {}, os.sched_getaffinity(0),
                                                  bench.folder / "contestants.log"))
        except (contest.ContestError, OSError) as error:
            errors[name] = str(error)
    return contestants


def check(bench, measure, about, program, contestant, folder):
    """None, or how the peer's result differs from ours on its inputs."""
    contestant.ask("inputs %s" % folder)
    count = len(about["signature"]["arguments"])
    output = folder / "ours.npy"
    reply = measure.ask(
        do="run", ticket=1, target="cuda", device=bench.options.device, threads=1, cpus=bench.cpus,
        **{**about, "reference": None, "sensitivity": False}, artifacts=[str(program)],
        inputs=[str(folder / ("%d.npy" % number)) for number in range(count)], outputs=[str(output)],
        measure={"budget": 0.01, "precision": 0.1}, limits={"seconds": RUN_SECONDS, "bytes": RUN_BYTES})
    if reply["verdict"] != "ok":
        return "ours on its inputs: %(verdict)s: %(error)s" % reply
    error = float(contestant.ask("compare %s" % output))
    return None if error <= 0.01 else "its result is off ours by %.2g of its size" % error


def compete(bench, workload, measure, about, program, model, folder, entry):
    """Times ours and the peers in turns; fills `results` and `errors` of the entry."""
    contestants = start_peers(bench, workload, model, entry["errors"])
    try:
        able = []
        for contestant in contestants:
            try:
                wrong = check(bench, measure, about, program, contestant, folder)
            except (contest.ContestError, servers.ServerError) as error:
                wrong = str(error)
            if wrong:
                entry["errors"][contestant.name] = wrong
            else:
                able.append(contestant)
        # No CPU is held: tune-measure does that when it is its turn.
        entry["results"], errors = contest.compete(
            [Ours(measure, workload.name, program), *able], [], sample_seconds=SAMPLE_SECONDS,
            budget=bench.options.seconds)
        entry["errors"].update(errors)
        for contestant in able:
            if contestant.name in entry["results"]:
                entry["results"][contestant.name]["form"] = contestant.form
    finally:
        for contestant in contestants:
            contestant.close()


def timed(bench, workload, fingerprint, worker, measure):
    """One entry of results.json."""
    entry = {"revision": bench.revision, "date": datetime.date.today().isoformat(), "errors": {}}
    folder = bench.folder / bench.key(workload).replace("/", "-")
    folder.mkdir(exist_ok=True)
    try:
        plain, tuned = our_programs(bench, workload, folder)
        about = servers.open_task(worker, workload, folder)
        # The search has checked the winner as it is; a second run of a long reference would take minutes.
        about["sensitivity"] = False
        measure.ask(do="open", task=workload.name, target="cuda", device=bench.options.device, threads=1,
                    cpus=bench.cpus, limits={"seconds": REFERENCE_SECONDS, "bytes": RUN_BYTES}, **about)
        entry["roofline"] = bench.ask_device("--roofline")
        try:
            entry["default"] = Ours(measure, workload.name, plain).run(1)
        except contest.ContestError as error:
            entry["errors"]["our default"] = str(error)
        compete(bench, workload, measure, about, tuned, fingerprint["model"], folder, entry)
        measure.ask(do="close", task=workload.name)
    except (servers.ServerError, RuntimeError) as error:
        return {**entry, "failed": str(error)}
    if "ours" not in entry["results"]:
        return {**entry, "failed": entry["errors"]["ours"]}
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
            print(page.line(workload, bench.results[key]), file=sys.stderr)


def measured_elsewhere(selected, folder):
    """The table of the files of results in `folder`."""
    found = [(row, *elsewhere.read(folder / (row.name + ".results"))) for row in selected
             if (folder / (row.name + ".results")).exists()]
    found = [(row, fingerprint, *times) for row, fingerprint, *times in found if fingerprint]
    if not found:
        sys.exit("benchmarks/cuda: %s has no results: `for f in *.export; do tune-measure $f; done` on the "
                 "machine with the GPU, then bring *.results back" % folder)
    return page.elsewhere_text(found)


def here(bench, selected):
    """Tunes and times on this machine's device, and publishes the table."""
    fingerprint = bench.ask_device("--fingerprint")
    benchmark(bench, selected, fingerprint)
    entries = {row.name: bench.results[bench.key(row)] for row in selected}
    text = page.text(selected, entries, fingerprint, bench.options)
    if bench.options.only or bench.options.dry_run:
        print(text)
    else:
        tables.publish(ROOT / "docs" / "benchmarks.md", "benchmarks/cuda/run", text)
    return not any("failed" in entry for entry in entries.values())


def main(arguments):
    options = options_from(arguments)
    everything = rows.small_rows() if options.dry_run else rows.all_rows()
    try:
        selected = [row for row in everything if re.search(options.only, row.name)]
    except re.error as error:
        sys.exit("benchmarks/cuda: --only=%s is no regular expression: %s" % (options.only, error))
    if options.list:
        print("\n".join(row.name for row in selected))
        return
    if not selected:
        sys.exit("benchmarks/cuda: no workload's name matches '%s'; --list names them" % options.only)
    if options.results:
        print(measured_elsewhere(selected, options.results))
        return
    if not (options.bin / "tune-opt").exists():
        subprocess.run(["make", "-C", ROOT, "build"], check=True, stdout=sys.stderr)
    if options.dry_run:
        os.environ["TUNE_CUDA_LOADER"] = str(options.bin.resolve().parent / "lib" / "libtune_fake_cuda.so")
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    bench = Bench(options)
    try:
        if options.export:
            for path in elsewhere.export(bench.tool, selected, options.export, bench.target, options.trials,
                                         options.fingerprint):
                print(path)
        elif not here(bench, selected) and options.dry_run:
            sys.exit(1)
    except KeyboardInterrupt:
        print("stopped; the same command goes on from here", file=sys.stderr)
        sys.exit(130)
    except (RuntimeError, servers.ServerError) as error:
        print("benchmarks/cuda: %s" % error, file=sys.stderr)
        sys.exit(NO_DEVICE if getattr(error, "status", 1) == NO_DEVICE else 1)


if __name__ == "__main__":
    main(sys.argv[1:])
