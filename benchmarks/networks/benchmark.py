"""Whole networks beside runtimes: exported, built, checked against torch and timed in turns. Started by
benchmarks/networks/run."""

import argparse
import datetime
import os
import re
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(ROOT / "benchmarks" / "common"))
import contest
import tables
import tools

COMMAND = "benchmarks/networks/run"
# PyPI's torch brings 3 GB of CUDA along, needed or not.
PYPI = ["numpy", "torch", "timm", "transformers", "onnx", "onnxscript", "onnxruntime", "openvino",
        "iree-base-compiler", "iree-base-runtime"]
WITHOUT_DEPENDENCIES = ["torch-mlir"]  # it asks for an older torch than it works with
PEERS = ["torch", "compile", "onnxruntime", "openvino", "iree"]
GOAL = 1.15  # geometric mean of the best peer's time over ours
MOST_ERROR = {"f32": 0.01, "f16": 0.02, "bf16": 0.15, "int8": 0.6, "bf16-network": 0.3}  # of the root mean square of torch's output in f32
NAMES = ["resnet50", "mobilenetv2", "efficientnet_lite0", "deit_small", "convnext_femto", "regnety_002",
         "yolo_head", "bert_128", "bert_384", "gpt2_prefill128", "llama_prefill128",
         "gpt2_decode128", "llama_decode1024", "t5_encoder", "whisper_encoder", "unet_block",
         "lstm"]  # zoo.py needs torch


DEFAULT_FORM = "linalg-on-tensors"
LIBRARIES = ["timm", "transformers", "fields"]  # of whose networks --others takes any


def options_from(arguments):
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX", help="networks whose name matches; the "
                        "table then goes to stdout and not to docs/networks.md")
    parser.add_argument("--others", default="", metavar="NAME,...", help="these in place of ours: timm.NAME "
                        "is any network of timm, transformers.KIND any kind of text model, fields.NAME one "
                        "of fields.py; the table goes to stdout")
    parser.add_argument("--list", action="store_true", help="name the networks, do nothing")
    parser.add_argument("--search", default="", metavar="TIME", help="tune each network so long (2m), and "
                        "time that, too; without it the default schedules are timed")
    parser.add_argument("--batch", type=int, default=1, metavar="N", help="images, or sequences (1)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads to run with (1)")
    parser.add_argument("--precision", default="f32", choices=sorted(MOST_ERROR), help="bf16: factors of "
                        "products may be rounded to that, by whoever can; f16: ours may; int8: to that, or to bytes by "
                        "scales made of them as they come; bf16-network: ours and torch's are "
                        "bf16 themselves, as model.to(torch.bfloat16) (f32)")
    parser.add_argument("--form", default=DEFAULT_FORM, choices=[DEFAULT_FORM, "tosa", "stablehlo"],
                        help="what torch-mlir makes of a network on its way to linalg (linalg-on-tensors)")
    parser.add_argument("--peers", default=",".join(PEERS), metavar="NAME,...",
                        help="whom to compare with (%s)" % ",".join(PEERS))
    parser.add_argument("--again", action="store_true", help="time again what has a result")
    parser.add_argument("--seconds", type=float, default=30, help="at most so long for the timing of a "
                        "network (30)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin",
                        help="where our tools are (build/bin)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "benchmark-networks",
                        help="for everything this makes (build/benchmark-networks)")
    return parser.parse_args(arguments)


def run(command, **options):
    print("$ " + " ".join(map(str, command)), file=sys.stderr)
    subprocess.run(list(map(str, command)), check=True, **options)


def fetch(folder):
    """What is missing of PYPI, into folder/venv. Returns the environment's python."""
    python = folder / "venv" / "bin" / "python"
    folder.mkdir(parents=True, exist_ok=True)
    if not python.exists():
        run([sys.executable, "-m", "venv", folder / "venv"])
    done, wanted = folder / "pypi.installed", " ".join(PYPI + WITHOUT_DEPENDENCIES)
    if not done.exists() or done.read_text() != wanted:
        run([python, "-m", "pip", "install", "--quiet", *PYPI])
        run([python, "-m", "pip", "install", "--quiet", "--no-deps", *WITHOUT_DEPENDENCIES])
        done.write_text(wanted)
    return python


def exported(bench, name):
    """The folder of the network's module and arguments."""
    of_type = "bf16" if bench.options.precision == "bf16-network" else "f32"
    form = bench.options.form
    folder = bench.folder / ("%s-%d%s%s" % (name, bench.options.batch, "" if of_type == "f32" else "-" + of_type,
                                            "" if form == DEFAULT_FORM else "-" + form))
    stamp = folder / "exported"
    if not stamp.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with open(folder / "export.log", "w") as log:
            process = subprocess.run([bench.python, HERE / "export.py", name, str(bench.options.batch),
                                      folder, of_type, form], stdout=log, stderr=log)
        if process.returncode:
            last = (folder / "export.log").read_text().strip().splitlines()[-1:]
            raise tools.ToolError("export: %s" % " ".join(last), process.returncode, "")
        stamp.touch()
    return folder


def built(bench, folder, module, artifact):
    tools.run_tool(bench.options.bin / "tune-run", module, "--db=", "--threads=%d" % bench.options.threads,
                   "--emit=so", "--output=%s" % artifact, log=folder / "build.log")
    return artifact


def allowing(folder, precision):
    """The network's module, in which that much is allowed."""
    module = folder / "net.mlir"
    words = {"f16": '"f16"', "bf16": '"bf16"', "int8": '"bf16", "int8"'}.get(precision)
    if not words:
        return module
    text, count = re.subn(r"^module \{", 'module attributes {tune.allow = [%s]} {' % words,
                          module.read_text(), count=1, flags=re.MULTILINE)
    if count != 1:
        raise tools.ToolError("%s begins with no plain module" % module, 1, "")
    module = folder / ("net-%s.mlir" % precision)
    module.write_text(text)
    return module


def artifacts(bench, folder):
    """{contestant: artifact} of ours."""
    module = allowing(folder, bench.options.precision)
    found = {"default": built(bench, folder, module, folder / "default.so")}
    if bench.options.search:
        tuned = folder / "tuned.mlir"
        tools.run_tool(bench.options.bin / "tune-opt", "--tune-search=evolutionary time=%s threads=%d db=%s "
                       "report=plain" % (bench.options.search, bench.options.threads, bench.folder / "tune.db"),
                       module, "-o", tuned, log=folder / "search.log")
        found["ours"] = built(bench, folder, tuned, folder / "tuned.so")
    return found


def error_of(folder, contestant, most):
    """None, or how far the contestant's output is from torch's."""
    import numpy
    expected = numpy.load(folder / "expected.npz")["out_0"]
    contestant.write(folder / "output.bin")
    output = numpy.fromfile(folder / "output.bin", numpy.float32)
    if output.size != expected.size:
        return "%d elements of %d" % (output.size, expected.size)
    scale = float(numpy.sqrt(numpy.mean(expected.astype(numpy.float64) ** 2))) or 1.0
    error = float(numpy.max(numpy.abs(output - expected.ravel()))) / scale
    return None if error <= most else "its result is off by %.2g of its size" % error


def started(bench, folder, name, of_ours, entry):
    """The contestants that are ready, and right."""
    options, alive = bench.options, []
    variables = {variable: str(options.threads) for variable in ("OMP_NUM_THREADS", "MKL_NUM_THREADS")}
    for kind in [*of_ours, *options.peers.split(",")]:
        command = [bench.python, HERE / "contestant.py", kind, name, options.batch, folder, options.threads,
                   options.precision]
        command += [of_ours[kind]] if kind in of_ours else []
        try:
            contestant = contest.Contestant(kind, list(map(str, command)), variables, bench.cpus,
                                            folder / "contestants.log")
            wrong = error_of(folder, contestant, MOST_ERROR[options.precision])
            if wrong:
                contestant.close()
                raise contest.ContestError(wrong)
            alive.append(contestant)
            entry["forms"][kind] = contestant.form
        except contest.ContestError as error:
            entry["errors"][kind] = str(error)
    return alive


def timed(bench, name):
    """One entry of results.json."""
    entry = {"revision": bench.revision, "date": datetime.date.today().isoformat(), "errors": {},
             "forms": {}, "results": {}}
    contestants = []
    try:
        folder = exported(bench, name)
        of_ours = artifacts(bench, folder)
        contestants = started(bench, folder, name, of_ours, entry)
        if not contestants or contestants[0].name != "default":
            return entry
        entry["results"], errors = contest.compete(contestants, bench.cpus, budget=bench.options.seconds)
        entry["errors"].update(errors)
    except tools.ToolError as error:
        entry["errors"]["default"] = str(error)
    finally:
        for contestant in contestants:
            contestant.close()
    return entry


def best_peer(entry):
    peers = {name: result for name, result in entry["results"].items() if name in PEERS}
    return min(peers, key=lambda name: peers[name]["ratio"], default=None)


def row_of(name, entry, peers):
    results = entry["results"]
    cells = [name]
    for kind in ["default", "ours"]:
        cells.append(tables.time_text(results[kind]["median"]) if kind in results else
                     "error" if kind in entry["errors"] else "")
    best = best_peer(entry)
    for kind in peers:
        cells.append("%.2f" % results[kind]["ratio"] if kind in results else
                     "error" if kind in entry["errors"] else "")
    own = min((results[kind]["ratio"] for kind in ("default", "ours") if kind in results), default=None)
    cells.append("%.2f" % (results[best]["ratio"] / own) if best and own else "")
    return cells


def text_of(bench, selected):
    peers = bench.options.peers.split(",")
    entries = {name: bench.results[name] for name in selected if name in bench.results}
    titles = ["network", "ours, by default", "ours, tuned", *peers, "best of these over ours"]
    rows = [row_of(name, entry, peers) for name, entry in entries.items()]
    over = [float(row[-1]) for row in rows if row[-1]]
    lines = ["Columns of others are their time over our default's. Batch %d, %s, %d thread%s, commit %s." % (
        bench.options.batch, bench.options.precision, bench.options.threads, "s" * (bench.options.threads > 1),
        ", ".join(sorted({entry["revision"] for entry in entries.values()}))), "",
        tables.markdown(titles, rows)]
    if over:
        mean = 1.0
        for ratio in over:
            mean *= ratio ** (1 / len(over))
        lines += ["", "Geometric mean over %d networks: %.2f (goal: %.2f)." % (len(over), mean, GOAL)]
    errors = [textwrap.fill("- %s, %s: %s" % (name, kind, error.replace(str(bench.folder) + "/", "")), 100,
                            subsequent_indent="  ", break_long_words=False, break_on_hyphens=False)
              for name, entry in entries.items() for kind, error in entry["errors"].items()]
    return "\n".join([*lines, *([""] + errors if errors else [])]) + "\n"


def main(arguments):
    options = options_from(arguments)
    try:
        names = options.others.split(",") if options.others else NAMES
        selected = [name for name in names if re.search(options.only, name)]
    except re.error as error:
        sys.exit("%s: --only=%s is no regular expression: %s" % (COMMAND, options.only, error))
    if not selected:
        sys.exit("%s: no network's name matches '%s'; --list names them" % (COMMAND, options.only))
    unknown = [name for name in selected if name not in NAMES and name.partition(".")[0] not in LIBRARIES]
    if unknown:
        sys.exit("%s: --others=%s: no such network; there are %s, and those that --list names" % (
            COMMAND, unknown[0], ", ".join(library + ".NAME" for library in LIBRARIES)))
    unknown = [peer for peer in options.peers.split(",") if peer not in PEERS]
    if unknown:
        sys.exit("%s: --peers=%s: no such peer; there are %s" % (COMMAND, unknown[0], ", ".join(PEERS)))
    if options.threads < 1 or options.batch < 1:
        sys.exit("%s: --threads and --batch are 1 or more" % COMMAND)
    if options.list:
        print("\n".join(selected))
        return
    python = fetch(options.folder.resolve())
    if Path(sys.executable) != python:
        os.execv(python, [str(python), __file__, *arguments])
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # ends as Ctrl-C does
    kind = "%s-%d-%d%s%s" % (options.search or "default", options.batch, options.threads,
                             "" if options.precision == "f32" else "-" + options.precision,
                             "" if options.form == DEFAULT_FORM else "-" + options.form)
    bench = tools.Session(options.folder, ROOT)
    bench.results_path = bench.folder / ("results-%s.json" % kind)
    bench.load()
    bench.options, bench.python = options, python
    cores = sorted({contest.core_of(cpu): cpu for cpu in os.sched_getaffinity(0)}.values())
    bench.cpus = cores[-options.threads:]
    try:
        for number, name in enumerate(selected):
            if bench.is_done(name) and not options.again:
                continue
            print("%d of %d: %s" % (number + 1, len(selected), name), file=sys.stderr)
            bench.results[name] = timed(bench, name)
            bench.save()
            print(" | ".join(row_of(name, bench.results[name], options.peers.split(","))), file=sys.stderr)
    except KeyboardInterrupt:
        sys.exit("%s: stopped; the same command goes on from here" % COMMAND)
    text = text_of(bench, selected)
    is_other = (options.batch, options.threads, options.precision, options.form) != (1, 1, "f32", DEFAULT_FORM)
    if options.only or options.others or is_other:
        print(text, end="")
    else:
        tables.publish(ROOT / "docs" / "networks.md", COMMAND, "\n" + text + "\n")


if __name__ == "__main__":
    main(sys.argv[1:])
