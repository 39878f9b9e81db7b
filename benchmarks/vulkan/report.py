"""The table of docs/benchmarks.md, from results.json."""

import tables

NEAR = 0.9  # of a neighbour's rate


def time_text(seconds):
    return "%.3g ms" % (seconds * 1e3) if seconds < 1 else "%.3g s" % seconds


def rate(workload, seconds):
    return (workload.flops or workload.traffic) / seconds / 1e9


def rate_text(workload, seconds):
    return "%.3g %s" % (rate(workload, seconds), "GFLOP/s" if workload.flops else "GB/s")


def cell(workload, result):
    return "%s, %s" % (time_text(result["median"]), rate_text(workload, result["median"]))


def ratio_text(ratio):
    return "%.2f [%.2f … %.2f]" % (ratio["ratio"], ratio["low"], ratio["high"])


def peer_text(workload, name, result):
    if "error" in result:
        return "%s: %s" % (name, result["error"])
    return "%s %s, %s" % (name, time_text(result["seconds"]), rate_text(workload, result["seconds"]))


def is_endless(entry):
    """Whether none of IREE's programs came to a result, but for want of time."""
    return all(str(result).startswith("run-timeout") for result in entry["iree tried"].values())


def goals(workload, entry, entries):
    """(what is to be reached, whether it is) for each of the row's goals."""
    own = rate(workload, entry["tuned"]["median"])
    if "iree" in entry:
        yield ">= %.1f x IREE" % workload.factor, entry["iree"]["ratio"]["ratio"] >= workload.factor
    elif is_endless(entry):
        yield ">= %.1f x IREE" % workload.factor, True
    if workload.rate:
        yield ">= %.0f GFLOP/s" % workload.rate, own >= workload.rate
    neighbour, entry = entries.get(workload.neighbour, (None, None))
    if entry and "tuned" in entry:
        share = own / rate(neighbour, entry["tuned"]["median"])
        yield (">= %.0f %% of the rate of %s (%.0f %%)" % (100 * NEAR, neighbour.title, 100 * share),
               share >= NEAR)


def row(workload, entry, entries):
    if entry is None:
        return [workload.title, "not run", "", "", "", "", ""]
    if "failed" in entry:
        return [workload.title, "fails: " + entry["failed"].replace("|", "/")[:160], "", "", "", "", ""]
    iree, ratio = "none ends in time" if is_endless(entry) else "none is right", ""
    if "iree" in entry:
        iree = "%s (%s)" % (cell(workload, entry["iree"]), entry["iree variant"])
        ratio = ratio_text(entry["iree"]["ratio"])
    verdicts = "; ".join("%s: %s" % (what, "met" if met else "**missed**")
                         for what, met in goals(workload, entry, entries))
    others = "; ".join(peer_text(workload, *item) for item in entry["peers"].items())
    return [workload.title, cell(workload, entry["default"]), cell(workload, entry["tuned"]), iree, ratio,
            others, verdicts]


def line(workload, entry):
    """What a run says when a workload is done."""
    if "failed" in entry:
        return "  fails: %s" % entry["failed"]
    lines = ["  %-8s %s" % (name, cell(workload, entry[name])) +
             ("" if name == "tuned" else ", %s of the tuned one's time" % ratio_text(entry[name]["ratio"]))
             for name in ("default", "tuned", "iree") if name in entry]
    lines += ["  iree for %s: %s" % (name, result if isinstance(result, str) else time_text(result))
              for name, result in entry["iree tried"].items()]
    return "\n".join(lines + ["  " + peer_text(workload, *item) for item in entry["peers"].items()])


def text(selected, entries, fingerprint, options, versions):
    """`entries` has (workload, entry or None) for each name."""
    done = [entries[workload.name][1] for workload in selected if entries[workload.name][1]]
    dates = sorted({entry["date"] for entry in done})
    command = "benchmarks/vulkan/run --trials=%d --threads=%d --seconds=%g" % (
        options.trials, options.threads, options.seconds)
    titles = ["workload", "ours, default", "ours, %d trials" % options.trials, "IREE (target, level)",
              "its time over ours [95 %]", "other peers", "goals"]
    return "\n".join([
        tables.prose("%s, %s, %d thread%s; %s; mlir-tune %s." % (
            fingerprint["model"], fingerprint["driver"], options.threads, "s" * (options.threads > 1),
            " to ".join(dates[:1] + dates[1:][-1:]),
            ", ".join(sorted({entry["revision"] for entry in done})))),
        "", tables.prose("Peers: %s." % ", ".join(versions)),
        "", "    " + command,
        "", tables.markdown(titles, [row(workload, entries[workload.name][1], entries)
                                     for workload in selected]),
        ""])
