"""The same block out of several front ends: does it run as fast in whatever form it comes? Started by
benchmarks/forms/run.

A family is the modules of one name in the folders of modules/, a folder for each form. They came out of
the same network, take the same arguments, and are checked against the plain lowering of one of them.
"""

import argparse
import datetime
import json
import math
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True
ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "benchmarks" / "common"))
import tables
import tools

COMMAND = "benchmarks/forms/run"
GOAL = 1.15  # times the fastest form: as much as a form may cost
LARGE = 1e6  # flops: smaller tasks are over before they are at full speed
WRONG = 1  # tune-run's exit status where it reports a module that is wrong
LOW, HIGH, SHARE = 25, 50, 90  # no large task below LOW % of its roofline, SHARE % of all over HIGH


def options_from(arguments):
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", metavar="REGEX", help="families whose name matches; "
                        "the tables then go to stdout and not to docs/benchmarks.md")
    parser.add_argument("--list", action="store_true", help="name the families, do nothing")
    parser.add_argument("--trials", type=int, default=32, metavar="N",
                        help="configs tried for each task; 0: the default schedules (32)")
    parser.add_argument("--threads", type=int, default=1, metavar="N", help="threads to run with (1)")
    parser.add_argument("--target", default="cpu", metavar="NAME", help="as of tune-run (cpu)")
    parser.add_argument("--again", action="store_true", help="time again what has a result; "
                        "what was tuned stays")
    parser.add_argument("--seconds", type=float, default=3, help="for the timing of a module (3)")
    parser.add_argument("--modules", type=Path, default=Path(__file__).parent / "modules", metavar="DIR",
                        help="a folder for each form, of modules named by their family (modules)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin",
                        help="where our tools are (build/bin)")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "benchmark-forms",
                        help="for everything this makes (build/benchmark-forms)")
    return parser.parse_args(arguments)


def families(folder):
    """{family: {form: path}}, of those that there are in two forms and more."""
    found = {}
    for path in sorted(folder.glob("*/*.mlir")):
        found.setdefault(path.stem, {})[path.parent.name] = path
    return {name: forms for name, forms in sorted(found.items()) if len(forms) > 1}


def seconds_of(text):
    """
    >>> seconds_of("80.5 us")
    8.05e-05
    """
    number, unit = text.split()
    return float("%se%d" % (number, {"s": 0, "ms": -3, "us": -6, "ns": -9}[unit]))


def tasks_of(report):
    """The rows of a search's table: of each its name, time, GFLOP/s and share of the roofline, which
    are None where the search knows none.

    >>> tasks_of("task    default  best     speed-up  % peak  % roof  bound by  GFLOP/s  trials\\n"
    ...          "sum 4   2 us     1.5 us   1.3x         4.2    33.9  L3          4.986       4\\n"
    ...          "tune-search: done")
    [{'task': 'sum 4', 'seconds': 1.5e-06, 'gflops': 4.986, 'roof': 33.9}]
    """
    rows, titles = [], None
    for line in report.splitlines():
        cells = re.split(r"\s{2,}", line.strip())
        if cells[0] == "task":
            titles = cells
        elif titles and len(cells) >= len(titles) - 1:
            row = dict(zip(titles, cells))
            number = lambda key: float(row[key]) if re.fullmatch(r"[\d.e+]+", row[key]) else None
            rows.append({"task": row["task"], "seconds": seconds_of(row["best"]),
                         "gflops": number("GFLOP/s"), "roof": number("% roof")})
        elif titles:
            break
    return rows


def tuned(bench, family, form, path):
    """Tunes a module. Returns its path, and its tasks as the search reports them."""
    options = bench.options
    if not options.trials:
        return path, []
    stem = bench.folder / ("%s.%s" % (form, family))
    chosen, report = stem.with_suffix(stem.suffix + ".mlir"), bench.folder / "report"
    report.write_text("")
    tools.run_tool(options.bin / "tune-opt", "--tune-search=evolutionary trials=%d threads=%d target=%s "
                   "db=%s report=plain" % (options.trials, options.threads, options.target,
                                           bench.folder / "tune.db"), path, "-o", chosen, log=report)
    text = report.read_text()
    with open(bench.folder / "search.log", "a") as log:
        log.write(text)
    return chosen, tasks_of(text)


def timed(bench, family, forms):
    """One entry of results.json: of each form its time, ratio to the fastest, and tasks."""
    entry = {"revision": bench.revision, "date": datetime.date.today().isoformat(), "forms": {}}
    options = bench.options
    first, *others = forms
    try:
        found = {form: tuned(bench, family, form, path) for form, path in forms.items()}
        text = tools.run_tool(
            options.bin / "tune-run", found[first][0],
            *["--compare=%s" % found[form][0] for form in others], "--db=", "--check", "--format=json",
            "--time=%g" % options.seconds, "--target=%s" % options.target,
            "--threads=%d" % options.threads, log=bench.folder / "run.log")
    except tools.ToolError as error:
        if error.status != WRONG or not error.output:
            return {**entry, "failed": str(error)}
        text = error.output
    reply = json.loads(text)
    entry["machine"] = reply["machine"]["model"]
    for form, run in zip(forms, [reply, *reply["compare"]]):
        entry["forms"][form] = {
            "seconds": run["median_ns"] * 1e-9, "ratio": run.get("ratio", 1.0),
            "interval": run.get("ratio_ci95") or [1.0, 1.0], "verdict": run["check"]["verdict"],
            "fallbacks": sum(task["from"] == "fallback" for task in run["tasks"]),
            "tasks": found[form][1]}
    return entry


def is_right(entry):
    return all(form["verdict"] == "ok" for form in entry["forms"].values()) and "failed" not in entry


def family_row(family, names, entry):
    """A family's times in all forms over the fastest of them."""
    forms = entry["forms"]
    right = [form for form in forms if forms[form]["verdict"] == "ok"]
    fastest = min(right or forms, key=lambda form: forms[form]["ratio"])
    cells, worst = [], 1.0 if len(right) == len(forms) else math.inf
    for name in names:
        if name not in forms:
            cells.append("")
            continue
        ratio = forms[name]["ratio"] / forms[fastest]["ratio"]
        worst = max(worst, ratio)
        marks = [forms[name]["verdict"]] if forms[name]["verdict"] != "ok" else []
        marks += ["%d fell back" % forms[name]["fallbacks"]] if forms[name]["fallbacks"] else []
        cells.append("%.2f%s" % (ratio, " (%s)" % ", ".join(marks) if marks else ""))
    return [family, tables.time_text(forms[fastest]["seconds"]), *cells, "met" if worst <= GOAL else "missed"]


def large_tasks(entries):
    """The tasks of LARGE flops and more whose share of the roofline is known, each once."""
    found = {}
    for entry in entries.values():
        for form in entry["forms"].values():
            for task in form["tasks"]:
                flops = (task["gflops"] or 0) * 1e9 * task["seconds"]
                if flops >= LARGE and task["roof"] is not None:
                    found[task["task"]] = task
    return sorted(found.values(), key=lambda task: task["roof"])


def text_of(bench, names, entries):
    done = {family: entry for family, entry in entries.items() if "failed" not in entry}
    dates = sorted(entry["date"] for entry in entries.values())
    how = "%d trials a task" % bench.options.trials if bench.options.trials else "the default schedules"
    lines = [tables.prose("By %s, on %d thread%s of %s, %s, commit %s." % (
        how, bench.options.threads, "s" * (bench.options.threads > 1),
        ", ".join(sorted({entry.get("machine") or "a machine" for entry in done.values()})), dates[-1],
        ", ".join(sorted({entry["revision"] for entry in entries.values()})))), "",
             tables.markdown(["block", "fastest", *names, "within %.2f" % GOAL],
                             [family_row(family, names, entry) for family, entry in done.items()]), ""]
    met = sum(family_row(family, names, entry)[-1] == "met" for family, entry in done.items())
    lines.append("%d of %d blocks are within %.2f of their fastest form." % (met, len(entries), GOAL))
    lines += ["%s failed: %s." % (family, entry["failed"]) for family, entry in entries.items()
              if "failed" in entry]
    tasks = large_tasks(done)
    if tasks:
        over = sum(task["roof"] > HIGH for task in tasks)
        below = [task for task in tasks if task["roof"] <= HIGH]
        lines += ["", tables.prose(
            "%d tasks have more than a million flops: %d are over %d %% of their roofline (%.0f %%; %d are "
            "to be), %d below %d %% (none is to be). Those not over %d %%:" % (
                len(tasks), over, HIGH, 100 * over / len(tasks), SHARE,
                sum(task["roof"] < LOW for task in tasks), LOW, HIGH)), "",
            tables.markdown(["task", "time", "GFLOP/s", "% of roofline"],
                            [[task["task"], tables.time_text(task["seconds"]), "%.3g" % task["gflops"],
                              "%.0f" % task["roof"]] for task in below])]
    return "\n".join(lines) + "\n"


def main(arguments):
    options = options_from(arguments)
    try:
        selected = {name: forms for name, forms in families(options.modules).items()
                    if re.search(options.only, name)}
    except re.error as error:
        sys.exit("%s: --only=%s is no regular expression: %s" % (COMMAND, options.only, error))
    if options.list:
        print("\n".join(selected))
        return
    if not selected:
        sys.exit("%s: no family in %s that matches '%s'; --list names them" % (
            COMMAND, options.modules, options.only))
    bench = tools.Session(options.folder / ("%s-%d-%d" % (
        options.target.replace(":", "-"), options.threads, options.trials)), ROOT)
    bench.options = options
    try:
        for number, (family, forms) in enumerate(selected.items()):
            if bench.is_done(family) and not options.again:
                continue
            print("%d of %d: %s" % (number + 1, len(selected), family), file=sys.stderr)
            bench.results[family] = timed(bench, family, forms)
            bench.save()
    except KeyboardInterrupt:
        sys.exit("%s: stopped; the same command goes on from here" % COMMAND)
    names = sorted({form for forms in selected.values() for form in forms})
    text = text_of(bench, names, {family: bench.results[family] for family in selected})
    if options.only or options.target != "cpu" or options.threads != 1:
        print(text, end="")
    else:
        tables.publish(ROOT / "docs" / "benchmarks.md", COMMAND, "\n" + text + "\n")
    if not all(is_right(bench.results[family]) for family in selected):
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
