"""The table and the plot of docs/benchmarks.md, from results.json."""

import json
import platform
import statistics
from pathlib import Path

import tables
import workloads

PLOT = "benchmarks-cpu.svg"
SCALING = 0.95  # of the number of threads: how much faster than one they are to be, unless bound by memory


def traffic(workload):
    """Bytes that have to move: each argument and the result once."""
    return sum(workloads.bytes_of(*value) for value in [*workload.inputs, workload.result])


def bandwidth(roofline, size):
    """GB/s of reading from the nearest memory that holds `size` bytes."""
    levels = roofline["bandwidth"]
    # The levels were measured with data of about half their size.
    return next((level["gbytes_per_s"] for level in levels if size <= 2 * level["bytes"]),
                levels[-1]["gbytes_per_s"])


def rate_text(workload, entry, seconds):
    if workload.bound == "bytes":
        rate = traffic(workload) / seconds / 1e9
        return "%.0f GB/s (%.0f %%)" % (rate, 100 * rate / bandwidth(entry["roofline"], traffic(workload)))
    rate, peak = workload.flops / seconds / 1e9, entry["roofline"]["peak"][workload.element]
    return "%.0f GFLOP/s (%.0f %%)" % (rate, 100 * rate / peak) if peak else "%.0f GFLOP/s" % rate


def best_rival(goal, entry):
    """(name, result) of the fastest that the goal is about; None if none could do it."""
    able = [(entry["results"][name]["ratio"], name) for name in goal.against if name in entry["results"]]
    if not able:
        return None
    name = min(able)[1]
    return name, entry["results"][name]


def judge(workload, goal, entry):
    """"met", "missed" or "unknown", and in words by how much; in doubt is what the interval allows, too."""
    rival = best_rival(goal, entry)
    if not rival:
        return "unknown", "no peer could do it"
    reached = rival[1]["ratio"] / goal.factor
    doubt = ", in doubt" if rival[1]["low"] < goal.factor < rival[1]["high"] else ""
    if reached >= 1:
        return "met", "met, %+.1f %%%s" % (100 * (reached - 1), doubt)
    if goal.or_bandwidth:
        share = traffic(workload) / entry["results"]["ours"]["median"] / 1e9 / bandwidth(
            entry["roofline"], traffic(workload))
        if share >= 0.95:
            return "met", "met by the bandwidth (%.0f %%)" % (100 * share)
    return "missed", "**missed**, %+.1f %%%s" % (100 * (reached - 1), doubt)


def row(workload, goal, entry, alone, threads):
    title = workload.title + goal.label
    wanted = ">= %.2f%s" % (goal.factor, ", or the bandwidth" if goal.or_bandwidth else "")
    if entry is None:
        return [title, "not run", "", "", "", wanted, "", goal.missing]
    if "failed" in entry:
        return [title, "fails", "", "", "", wanted, "**missed**", "; ".join(
            filter(None, [goal.missing, entry["failed"].replace("|", "/")[:160]]))]
    ours = entry["results"]["ours"]["median"]
    scaling = ""
    if alone and alone.get("results"):
        times = alone["results"]["ours"]["median"] / ours
        scaling = "%.2f" % times
        if workload.bound == "flops" and times < SCALING * threads:
            scaling = "**%.2f**" % times
    rival = best_rival(goal, entry)
    verdict, words = judge(workload, goal, entry)
    cells = [title, "%s, %s" % (tables.time_text(ours), rate_text(workload, entry, ours)), "", "", scaling,
             wanted, words, goal.why(threads) if verdict != "met" else ""]
    if rival:
        name, result = rival
        cells[2] = "%s, %s" % (name.replace("ours:", "our "), tables.time_text(result["median"]))
        cells[3] = "%.3f [%.3f … %.3f]" % (result["ratio"], result["low"], result["high"])
    return cells


def line(workload, entry):
    """What a run says when a workload is done."""
    if "failed" in entry:
        return "  fails: %s" % entry["failed"]
    lines = ["  %-16s %-9s %s" % (name, tables.time_text(result["median"]),
                                  "" if name == "ours" else "%.3f [%.3f … %.3f] of our time, %s" % (
                                      result["ratio"], result["low"], result["high"], result["form"]))
             for name, result in entry["results"].items()]
    lines += ["  %-16s %s" % item for item in entry["errors"].items()]
    return "\n".join(lines)


def ratios(selected, results, threads, trials):
    """Title, goal, verdict and ratio of each row that is about other libraries and has a ratio."""
    for workload in selected:
        entry = results.get("%s/%d/%d" % (workload.name, threads, trials))
        for goal in workload.goals:
            rival = best_rival(goal, entry) if entry and entry.get("results") else None
            if rival and not rival[0].startswith("ours:"):
                yield (workload.title + goal.label, goal, judge(workload, goal, entry)[0],
                       rival[1]["ratio"])


def mean_of_workloads(selected, results, threads, trials):
    """The geometric mean over the workloads, each against the fastest of all that its goals name."""
    lowest = {}
    for workload in selected:
        found = [ratio for *_, ratio in ratios([workload], results, threads, trials)]
        if found:
            lowest[workload.name] = min(found)
    return statistics.geometric_mean(lowest.values())


def speedups(selected, results, threads, trials):
    """How much faster than one thread, of each workload that is bound by arithmetic: (ours, the best peer's)."""
    for workload in selected:
        entry, alone = (results.get("%s/%d/%d" % (workload.name, count, trials)) for count in (threads, 1))
        if workload.bound != "flops" or not all(one and one.get("results") for one in (entry, alone)):
            continue
        rival = best_rival(workload.goals[0], entry)
        if rival and rival[0] in alone["results"] and not rival[0].startswith("ours:"):
            yield tuple(alone["results"][name]["median"] / entry["results"][name]["median"]
                        for name in ("ours", rival[0]))


def reasons(rows):
    """A list of why rows are missed, for those of which it is known."""
    told = [tables.prose("- %s: %s" % (cells[0], cells[-1]), "  ") for cells in rows if cells[-1]]
    return "Why rows are missed:\n\n%s\n\n" % "\n".join(told) if told else ""


def section(selected, results, threads, trials):
    """So many threads and trials: the table, why rows are missed, and all peers."""
    entries = [results.get("%s/%d/%d" % (w.name, threads, trials)) for w in selected]
    rows, others, judged = [], [], []
    for workload, entry in zip(selected, entries):
        alone = results.get("%s/1/%d" % (workload.name, trials)) if threads > 1 else None
        for goal in workload.goals:
            rows.append(row(workload, goal, entry, alone, threads))
            judged.append(judge(workload, goal, entry)[0] if entry and entry.get("results") else "missed")
        if entry and entry.get("results"):
            search = entry["search"]
            told = ["%s %s" % (name, tables.time_text(result["median"])) for name, result in
                    entry["results"].items() if not name.startswith("ours")]
            told += ["%s: %s" % (name, error.replace("|", "/")[:80]) for name, error in
                     entry["errors"].items()
                     if not error.startswith("not installed") or workload.group == "whole"]
            others.append([workload.title, "; ".join(told), "%.0f s" % search["seconds"],
                           "%.1f" % search["rate"] if search["rate"] else ""])
    found = [ratio for *_, ratio in ratios(selected, results, threads, trials)]
    summary = "%d of %d rows reach their goal." % (judged.count("met"), len(judged))
    if found:
        summary += (" Against the best peer of each row the geometric mean is %.3f (to reach: 1.10), the "
                    "lowest %.3f (to reach: 0.90)." % (
                        statistics.geometric_mean(found), min(found)) +
                    " With one row for each workload, its worst, the mean is %.3f." %
                    mean_of_workloads(selected, results, threads, trials))
    if threads > 1:
        summary += " In bold: less than %.2f times as fast as one thread." % (SCALING * threads)
        found = list(speedups(selected, results, threads, trials))
        if found:
            summary += (" What is bound by arithmetic is %.2f times as fast as on one thread in the mean, the best"
                        " peers %.2f times." % tuple(map(statistics.geometric_mean, zip(*found))))
    titles = ["workload", "ours", "best peer", "its time over ours [95 %]", "times one thread", "goal",
              "reached"]
    keep = [i for i in range(len(titles)) if i != 4 or threads > 1]
    table = tables.markdown([titles[i] for i in keep], [[cells[i] for i in keep] for cells in rows])
    return "### %d thread%s, %d trials a task\n%s\n\n%s\n\n%s%s\n" % (
        threads, "s" * (threads > 1), trials, tables.prose(summary), table, reasons(rows),
        tables.markdown(["workload", "all peers", "tuned in", "candidates a second and core"], others))


def cpu_name():
    """Its name, which virtual machines shorten, and the numbers that tell its generation."""
    told = dict((key.strip(), value.strip()) for key, _, value in (
        line.partition(":") for line in Path("/proc/cpuinfo").read_text().splitlines()))
    if "model name" not in told:
        return platform.processor() or "unknown"
    if "cpu family" not in told:
        return told["model name"]
    return "%s (family %s, model %s)" % (told["model name"], told["cpu family"], told.get("model", "?"))


def combinations(results):
    """(threads, trials) that there are results for; most trials first."""
    found = {tuple(map(int, key.split("/")[1:])) for key in results}
    return sorted(found, key=lambda pair: (-pair[1], pair[0]))


def with_best_roofline(results):
    """The entries, each with the highest peaks and bandwidths that were measured beside any of the same
    number of threads: what disturbs a measurement only lowers it."""
    best = {}
    for key, entry in results.items():
        if "roofline" not in entry:
            continue
        roof = best.setdefault(key.split("/")[1], json.loads(json.dumps(entry["roofline"])))
        for name, rate in entry["roofline"]["peak"].items():
            roof["peak"][name] = max(rate, roof["peak"][name])
        for level, other in zip(roof["bandwidth"], entry["roofline"]["bandwidth"]):
            level["gbytes_per_s"] = max(level["gbytes_per_s"], other["gbytes_per_s"])
    return {key: {**entry, "roofline": best[key.split("/")[1]]} if "roofline" in entry else entry
            for key, entry in results.items()}


def text(selected, results, versions):
    own = with_best_roofline({key: entry for key, entry in results.items()
                              if key.split("/")[0] in {workload.name for workload in selected}})
    if not own:
        return "No results.\n"
    dates = sorted({entry["date"] for entry in own.values()})
    revisions = sorted({entry["revision"] for entry in own.values()})
    lines = ["%s, %s; %s. mlir-tune %s." % (" to ".join(sorted({dates[0], dates[-1]})), cpu_name(),
                                            platform.platform(), ", ".join(revisions)),
             "Peers: %s." % ", ".join(versions)]
    roofs = {key.split("/")[1]: entry["roofline"] for key, entry in own.items() if "roofline" in entry}
    for threads, roof in sorted(roofs.items()):
        lines.append("Measured peaks, %s thread%s: %s GFLOP/s; %s GB/s." % (
            threads, "s" * (threads != "1"),
            ", ".join("%s %.0f" % item for item in roof["peak"].items()),
            ", ".join("%s %.0f" % (level["level"], level["gbytes_per_s"])
                      for level in roof["bandwidth"])))
    return "\n".join(tables.prose("- " + line, "  ") for line in lines) + "\n\n" + "\n".join(
        section(selected, own, *pair) for pair in combinations(own))


def plot(path, selected, results):
    """Bars: the best peer's time over ours, for one thread and the most trials."""
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as pyplot
    matplotlib.rcParams.update({"svg.hashsalt": "mlir-tune", "svg.fonttype": "none"})
    threads, trials = combinations(results)[0]
    bars = list(ratios(selected, with_best_roofline(results), threads, trials))[::-1]
    figure, axes = pyplot.subplots(figsize=(9, 1 + 0.22 * len(bars)))
    axes.barh([title for title, *_ in bars], [ratio - 1 for *_, ratio in bars], left=1,
              color=["#3a7d44" if verdict == "met" else "#b5483a" for _, _, verdict, _ in bars])
    axes.plot([goal.factor for _, goal, *_ in bars], range(len(bars)), "k|", label="goal")
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_formatter(lambda value, _: "%g" % round(value, 2))
    axes.axvline(1, color="black", linewidth=0.8)
    axes.set_xlabel("time of the best peer over ours, %d thread%s, %d trials" % (
        threads, "s" * (threads > 1), trials))
    axes.legend(loc="lower right")
    axes.tick_params(axis="y", labelsize=7)
    axes.margins(y=0.01)
    figure.savefig(path, bbox_inches="tight", metadata={"Date": None})
    pyplot.close(figure)


def publish(docs, words, selected, results):
    plot(docs / PLOT, selected, results)
    tables.publish(docs / "benchmarks.md", "benchmarks/cpu/run",
                   "%s\n![The best peer's time over ours](%s)\n" % (words, PLOT))
