"""The libraries to compare with that run by themselves, and what fetches all of them."""

import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
PEER_SECONDS = 300  # for one of them to start, compile and be timed


class PeerError(Exception):
    """A peer cannot do the workload; the text says why."""


def run(command):
    print("$ " + " ".join(map(str, command)), file=sys.stderr)
    subprocess.run(command, check=True)


def fetch(folder):
    """What requirements.txt names, into folder/venv. Returns the environment's python."""
    python, done = folder / "venv" / "bin" / "python", folder / "installed.txt"
    if not python.exists():
        run([sys.executable, "-m", "venv", folder / "venv"])
    requirements = HERE / "requirements.txt"
    if not (done.exists() and done.read_text() == requirements.read_text()):
        run([python, "-m", "pip", "install", "--quiet", "-r", requirements])
        done.write_text(requirements.read_text())
    return python


def versions():
    return [line.replace("==", " ") for line in (HERE / "requirements.txt").read_text().split()
            if not line.startswith("numpy")]


def timed(name, arguments, device, threads, cpus, seconds):
    """Runs one of the programs beside this file. Its result: {"seconds", "low", "high", "how"}."""
    # lavapipe takes 0 as: no thread but the caller's.
    environment = {**os.environ, "LP_NUM_THREADS": str(threads if threads > 1 else 0)}
    try:
        process = subprocess.run(
            [sys.executable, HERE / (name + ".py"), device, str(seconds), *map(str, arguments)],
            capture_output=True, text=True, timeout=PEER_SECONDS, env=environment,
            preexec_fn=lambda: os.sched_setaffinity(0, cpus))
    except subprocess.TimeoutExpired:
        raise PeerError("no result in %d s" % PEER_SECONDS) from None
    if process.returncode:
        raise PeerError((process.stderr.strip().splitlines() or ["status %d" % process.returncode])[-1])
    result = json.loads(process.stdout.splitlines()[-1])
    if "error" in result:
        raise PeerError(result["error"])
    return result
