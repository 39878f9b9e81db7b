"""The tables, from results.json or from what was measured elsewhere."""

import statistics

import report
import tables


def line(workload, entry):
    """What a run says when a workload is done."""
    text = report.line(workload, entry)
    if "default" in entry:
        text += "\n  %-16s %s" % ("our default", tables.time_text(entry["default"]))
    return text


def device_text(fingerprint):
    return "%s (%s), driver %s, %s" % (fingerprint["model"], fingerprint["arch"],
                                       fingerprint["driver_version"], fingerprint["driver"])


def others_text(entry):
    told = ["%s %s" % (name, tables.time_text(result["median"]))
            for name, result in entry["results"].items() if name != "ours"]
    return "; ".join(told + ["%s: %s" % (name, error.replace("|", "/")[:120])
                             for name, error in entry["errors"].items()])


def row(workload, entry):
    title, ours, best, ratio, _, _, reached, _ = report.row(workload, workload.goals[0], entry, None, 1)
    if entry is None or "failed" in entry:
        why = entry["failed"].replace("|", "/")[:160] if entry else ""
        return [title, "", "%s: %s" % (ours, why) if why else ours, "", "", reached, ""]
    return [title, tables.time_text(entry["default"]) if "default" in entry else "fails", ours, best, ratio,
            reached, others_text(entry)]


def text(selected, entries, fingerprint, options):
    """`entries` has the entry of each workload that has one, by its name."""
    done = [entries[workload.name] for workload in selected if workload.name in entries]
    dates = sorted({entry["date"] for entry in done})
    forms = sorted({result["form"] for entry in done for name, result in entry.get("results", {}).items()
                    if name != "ours"})
    ratios = [rival[1]["ratio"] for workload in selected
              if entries.get(workload.name, {}).get("results")
              for rival in [report.best_rival(workload.goals[0], entries[workload.name])] if rival]
    words = "%s\n\n%s\n\n    benchmarks/cuda/run%s --trials=%d --seconds=%g\n" % (
        tables.prose("%s; %s; mlir-tune %s." % (
            device_text(fingerprint), " to ".join(dates[:1] + dates[1:][-1:]),
            ", ".join(sorted({entry["revision"] for entry in done})))),
        tables.prose("Peers: %s." % (", ".join(forms) or "none")),
        " --dry-run" if options.dry_run else "", options.trials, options.seconds)
    if ratios:
        words += "\nThe best peer's time over ours: geometric mean %.3f, lowest %.3f.\n" % (
            statistics.geometric_mean(ratios), min(ratios))
    titles = ["workload", "ours, default", "ours, %d trials" % options.trials, "best peer",
              "its time over ours [95 %]", "at least as fast", "all peers"]
    return "%s\n%s\n" % (words, tables.markdown(titles, [row(workload, entries.get(workload.name))
                                                          for workload in selected]))


def elsewhere_text(found):
    """`found` has (workload, fingerprint, default, best) for each file of results; without peers."""
    def cell(workload, fingerprint, seconds):
        if not seconds:
            return "none is right"
        return "%s, %s" % (tables.time_text(seconds), report.rate_text(
            workload, {"roofline": fingerprint["roofline"]}, seconds))
    devices = sorted({device_text(fingerprint) for _, fingerprint, *_ in found})
    rows = [[workload.title, cell(workload, fingerprint, default), cell(workload, fingerprint, best)]
            for workload, fingerprint, default, best in found]
    return "%s\n\n%s\n" % ("; ".join(devices), tables.markdown(
        ["workload", "ours, default", "ours, best candidate"], rows))
