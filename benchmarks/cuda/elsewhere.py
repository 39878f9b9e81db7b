"""Exports of the workloads for a machine that has a driver and no MLIR, and what came back of them."""

import json


def export(tool, rows, folder, target, trials, device):
    """Writes folder/NAME.mlir and folder/NAME.export for each row; `device` is a file of a fingerprint, or
    None. Yields each path."""
    folder.mkdir(parents=True, exist_ok=True)
    for row in rows:
        module, path = folder / (row.name + ".mlir"), folder / (row.name + ".export")
        module.write_text(row.module)
        about = ["--device=%s" % device] if device else []
        tool("tune-run", "export", module, "--target=" + target, *about, "--trials=%d" % trials, "--db=",
             "--output=%s" % path)
        yield path


def read(path):
    """(fingerprint or None, seconds of the default, of the best) of a file of results, whose tasks are added up; a
    time is None where a task has none."""
    fingerprint, defaults, best = None, {}, {}
    for text in path.read_text().splitlines():
        line = json.loads(text)
        if line["kind"] == "fingerprint":
            fingerprint = line["description"]
        elif line["kind"] == "task":
            best.setdefault(line["key"], None)
        elif line["kind"] == "trial" and line["verdict"] == "ok":
            key, seconds = line["task"], line["time"]["median"]
            best[key] = min(seconds, best.get(key) or seconds)
            if line["strategy"] == "default":
                defaults[key] = seconds
    total = lambda times: sum(times[key] for key in best) if best and all(
        times.get(key) for key in best) else None
    return fingerprint, total(defaults), total(best)
