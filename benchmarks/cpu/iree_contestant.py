"""IREE as a contestant (contestant.h): compiles the module itself, for this CPU, with and without data
tiling, and keeps what is faster. IREE's own iree-benchmark-module does the timing, so that no Python is
in it: each `run` is a process of that tool."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

# The programs themselves: those in the environment's bin/ start a Python for each call.
COMPILER = Path(sys.executable).parent / "iree-compile"
RUNTIME = Path(importlib.util.find_spec("iree._runtime_libs").submodule_search_locations[0])


def fail(text):
    print("error", " ".join(text.split())[:300], flush=True)
    sys.exit(1)


def run(command):
    process = subprocess.run(command, capture_output=True, text=True)
    if process.returncode:
        lines = process.stderr.splitlines() or ["status %d" % process.returncode]
        fail("IREE: " + next((line for line in lines if "error" in line), lines[0]))
    return process.stdout


FORMS = {"O3, data tiling": ["--iree-opt-level=O3", "--iree-opt-data-tiling"],
         "O3": ["--iree-opt-level=O3"]}


def seconds(common, binary, repeats):
    """Seconds of `repeats` calls, after some that are not counted."""
    report = json.loads(run([RUNTIME / "iree-benchmark-module", "--module=%s" % binary, *common,
                             "--benchmark_format=json", "--benchmark_min_warmup_time=0.02",
                             "--benchmark_min_time=%dx" % repeats]))
    measured = report["benchmarks"][0]
    scale = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}[measured["time_unit"]]
    return measured["real_time"] * scale * repeats


def main(pairs):
    first = dict(reversed(pairs))
    values = lambda key: [value for name, value in pairs if name == key]
    threads = int(first["threads"])
    common = ["--function=main", *(["--device=local-sync"] if threads == 1 else [
        "--device=local-task", "--task_topology_group_count=%d" % threads])]
    for shape, path in zip(values("argument"), values("input")):
        # Its types carry no sign: the module's body says how bits are meant.
        common.append("--input=%s=@%s" % (shape.replace("xu8", "xi8"), path))
    with TemporaryDirectory() as folder:
        times = {}
        for form, options in FORMS.items():
            binary = Path(folder) / ("%s.vmfb" % form.replace(", ", "-").replace(" ", "-"))
            run([COMPILER, first["module"], "-o", binary,
                 "--iree-hal-target-device=local", "--iree-hal-local-target-device-backends=llvm-cpu",
                 "--iree-llvmcpu-target-cpu=host", *options])
            times[min(seconds(common, binary, 2) for _ in range(3)), form] = binary
        (_, form), binary = min(times.items())
        print("ready", form, flush=True)
        for line in sys.stdin:
            what, _, argument = line.strip().partition(" ")
            if what == "run":
                print("%.9g" % seconds(common, binary, int(argument)), flush=True)
            elif what == "write":
                result = Path(folder) / "result.npy"
                run([RUNTIME / "iree-run-module", "--module=%s" % binary, *common,
                     "--output=@%s" % result])
                import numpy
                numpy.load(result).tofile(argument)
                print("done", flush=True)
            else:
                fail("what is '%s'?" % line)


if __name__ == "__main__":
    main([tuple(pair.split("=", 1)) for pair in sys.argv[1:]])
