"""The libraries to compare with: where they come from, and how each is started as a contestant."""

import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent

# From PyPI into a virtual environment, which the rest of the benchmark runs in, too.
PYPI = ["numpy", "matplotlib", "onednn-cpu-gomp", "onednn-devel-cpu-gomp", "scipy-openblas32",
        "iree-base-compiler", "iree-base-runtime"]
# PyPI's torch brings 3 GB of CUDA along, needed or not: only where asked for.
TORCH = ["torch"]
# Unpacked into a folder, not installed: needs no root, and leaves the system's BLAS alone.
DEBIAN = ["libdnnl2", "libdnnl-dev", "libxsmm-dev", "libopenblas0-pthread",
          "libopenblas-pthread-dev", "ocl-icd-libopencl1"]


def run(command, **options):
    print("$ " + " ".join(map(str, command)), file=sys.stderr)
    subprocess.run(command, check=True, **options)


def fetch_pypi(folder, with_torch):
    """What is missing of PYPI, into folder/venv. Returns the environment's python."""
    python = folder / "venv" / "bin" / "python"
    if not python.exists():
        run([sys.executable, "-m", "venv", folder / "venv"])
    for packages, stamp in ((PYPI, "pypi"), (TORCH if with_torch else [], "torch")):
        done = folder / (stamp + ".installed")
        if packages and not (done.exists() and done.read_text() == " ".join(packages)):
            run([python, "-m", "pip", "install", "--quiet", *packages])
            done.write_text(" ".join(packages))
    return python


def fetch_debian(folder):
    done = folder / "debian.unpacked"
    if done.exists() and done.read_text() == " ".join(DEBIAN):
        return
    downloads = folder / "downloads"
    shutil.rmtree(downloads, ignore_errors=True)
    downloads.mkdir(parents=True)
    try:
        run(["apt-get", "download", "--quiet", *DEBIAN], cwd=downloads)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit("benchmarks/cpu: Debian's packages do not come (%s); does `apt-get update` help?" % error)
    for package in sorted(downloads.glob("*.deb")):
        run(["dpkg", "-x", package, folder / "debian"])
    done.write_text(" ".join(DEBIAN))


def build(folder, output):
    """The contestants written in C."""
    run(["cmake", "-G", "Ninja", "-S", HERE, "-B", output, "-DPEERS=%s" % folder],
        stdout=subprocess.DEVNULL)
    run(["cmake", "--build", output], stdout=subprocess.DEVNULL)


def environment(threads):
    """What libraries read to know their number of threads."""
    variables = {name: str(threads) for name in (
        "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")}
    # Each thread on a core of its own, where the runtime can do that.
    variables.update(OMP_DYNAMIC="false", OMP_PROC_BIND="true", OMP_PLACES="cores")
    # Huge pages for what malloc gives, as tune-measure has them: for whoever asks for none, too.
    variables.update(GLIBC_TUNABLES="glibc.malloc.hugetlb=1")
    return variables


# Which program a contestant is; docs/benchmarks.md says what they stand for.
PROGRAMS = {
    "ours": "ours", "default": "ours",
    "onednn": "onednn", "onednn packed": "onednn", "onednn any": "onednn", "winograd": "onednn2",
    "openblas": "openblas", "openblas debian": "openblas_debian",
    "libxsmm": "libxsmm",
    "iree": "iree_contestant.py",
    "torch": "torch_contestant.py",
}


def command(name, bin_folder, pairs):
    program = PROGRAMS[name.partition(":")[0]]
    start = [sys.executable, str(HERE / program)] if program.endswith(".py") else [
        str(bin_folder / program)]
    return start + ["%s=%s" % pair for pair in pairs]


def versions(folder):
    """What was compared with, one line each."""
    packages = [name for name in PYPI + TORCH if name not in ("numpy", "matplotlib") and
                "devel" not in name]
    listing = subprocess.run([sys.executable, "-m", "pip", "list", "--format=freeze"], check=True,
                             capture_output=True, text=True).stdout.split()
    found = [line.replace("==", " ") for line in listing if line.partition("==")[0] in packages]
    debs = sorted(path.name for path in (folder / "downloads").glob("*.deb"))
    named = [name.split("_") for name in debs if "-dev" not in name or name.startswith("libxsmm")]
    return found + ["Debian %s %s" % (name, version) for name, version, *_ in named
                    if "opencl" not in name]
