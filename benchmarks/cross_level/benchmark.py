"""Whether levels have to be searched together: on tables of tasks of which every config was measured.
Started by benchmarks/cross_level/run.

    run record           measures what tables lack, for --seconds at most; said again, it goes on
    run record-networks  the same for the tables of networks, of modules that benchmarks/networks/run has made
    run analyze          what the tables say without a search
    run replay           searches over the tables, at equal candidates and at equal seconds
    run networks         both over the tables of networks
    run write            all of it, into the tables of docs/cross-level.md
"""

import argparse
import itertools
import json
import math
import random
import re
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

sys.dont_write_bytecode = True
HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path.append(str(HERE))
import analysis
import networks
import places
import record

COMMAND = "benchmarks/cross_level/run"
PAGE = ROOT / "docs" / "cross-level.md"
BUDGETS = (16, 32, 64, 128)  # candidates
SHOWN = 32  # of these in the table of tasks
RESAMPLES = 1000
NETWORKS = ("unet_block", "yolo_head", "deit_small", "convnext_femto", "mobilenetv2", "t5_encoder")
DOWN, UP = ",".join(analysis.LEVELS), ",".join(reversed(analysis.LEVELS))
METHODS = {
    "joint": ("evolutionary", "joint"),
    "joint, random": ("random", "joint"),
    "layered, from graph to target": ("evolutionary", "layered:" + DOWN),
    "layered, from target to graph": ("evolutionary", "layered:" + UP),
    "layered, from vector outwards": ("evolutionary", "layered:vector,gpu,linalg,loop,buffer,graph,target"),
    "largest level alone": ("evolutionary", None),
}


def options_from(arguments):
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("record", "record-networks", "analyze", "replay", "networks", "write"))
    parser.add_argument("--only", default="", metavar="REGEX", help="tasks or networks whose name matches")
    parser.add_argument("--seconds", type=float, default=math.inf, metavar="N",
                        help="record: stop after so long, with status 3 where something is left (no limit)")
    parser.add_argument("--recordings", type=int, default=2, metavar="N", help="record: of each config (2)")
    parser.add_argument("--budget", default="50ms", help="record: as of tune-search, for a config (50ms)")
    parser.add_argument("--precision", default="1%", help="record: as of tune-search (1%%)")
    parser.add_argument("--seeds", type=int, default=10, metavar="N", help="replay: of each search (10)")
    parser.add_argument("--tasks", type=Path, default=HERE / "tasks", metavar="DIR", help="modules (tasks)")
    parser.add_argument("--data", type=Path, default=HERE / "data", metavar="DIR", help="the tables (data)")
    parser.add_argument("--networks", type=Path, default=ROOT / "build" / "benchmark-networks", metavar="DIR",
                        help="modules of networks (build/benchmark-networks)")
    parser.add_argument("--bin", type=Path, default=ROOT / "build" / "bin", help="our tools (build/bin)")
    parser.add_argument("--replayer", type=Path,
                        default=ROOT / "build" / "benchmarks" / "tune_cross_level_replay", metavar="FILE")
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "benchmark-cross-level",
                        help="for the databases (build/benchmark-cross-level)")
    return parser.parse_args(arguments)


def found(options, folder, ending):
    paths = sorted(path for path in folder.glob("*" + ending) if re.search(options.only, path.stem))
    if not paths:
        sys.exit("%s: nothing in %s that matches '%s'" % (COMMAND, folder, options.only))
    return paths


def markdown(titles, rows):
    """A table, with the first column on the left and the others on the right.

    >>> print(markdown(["a", "b"], [["x", 1]]))
    | a | b |
    |---|---:|
    | x | 1 |
    """
    lines = [titles, None] + rows
    return "\n".join("|---" + "|---:" * (len(titles) - 1) + "|" if line is None
                     else "| " + " | ".join(map(str, line)) + " |" for line in lines)


def caption(text):
    return textwrap.fill(text, 100, break_long_words=False, break_on_hyphens=False)


def percent(share):
    return "" if share is None else "%.1f %%" % (100 * share)


#===--- Without a search ---===#


def analyze(tables):
    explained, orders = [], []
    for table in tables:
        by_levels, adjusted, loss = analysis.explain_levels(table)
        by_knobs, _, _ = analysis.explain_knobs(table)
        explained.append([table.name, len(table.seconds), "%.1f" % (max(table.seconds.values()) / table.best),
                          "%.3f" % (table.seconds[table.default] / table.best), percent(analysis.repeatable(table)),
                          percent(by_levels), percent(adjusted), percent(by_knobs), "%.3f" % loss])
        once = analysis.descend_all(table)
        again = analysis.descend_all(table, again=True)
        one = analysis.alone(table)
        best, worst = min(once, key=once.get), max(once, key=once.get)
        starts = analysis.descend_from_all(table)
        orders.append([table.name, " ".join(table.levels), "%.3f" % min(one.values()), "%.3f" % once[best],
                       "%.3f" % statistics.median(once.values()), "%.3f" % once[worst], ", ".join(worst),
                       "%.3f" % max(again.values()), "%.3f" % geometric(starts),
                       percent(sum(loss > 1.05 for loss in starts) / len(starts))])
    return "\n\n".join([
        caption("How much of the variance of log times one recording says of another one (r squared), and is "
                "explained by one effect for each joint setting of a level (adjusted: less what so many effects explain of anything) and "
                "by one for each value of a knob; and what is lost by the config that the model over levels takes for "
                "the best:"),
        markdown(["task", "configs", "slowest / best", "default / best", "repeats", "levels add up to", "adjusted",
                  "knobs add up to", "its choice / best"], explained),
        caption("Levels one after the other, each searched exhaustively from the default, against the best of all: the "
                "best that one level alone reaches, the best, the median and the worst order of levels, and the worst "
                "order where levels are gone through again until nothing is gained. And from graph to target with each "
                "config of the table in place of the default: the geometric mean, and how many end more than 5 % from "
                "the best:"),
        markdown(["task", "levels", "one alone", "best order", "median", "worst", "which", "again, worst",
                  "any start", "over 5 %"], orders)])


#===--- Searches ---===#


def largest_level(table):
    settings = {level: len({table.setting(config, level) for config in table.seconds}) for level in table.levels}
    return max(settings, key=settings.get)


def search(options, path, table, method, trials, seconds):
    """Of each seed how much slower than the best what was found is."""
    strategy, levels = METHODS[method]
    words = [options.replayer, path, strategy, levels or "layered:" + largest_level(table), options.seeds, trials,
             "%.6g" % seconds]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True)
    if done.returncode:
        sys.exit("%s: %s" % (COMMAND, done.stderr.strip()))
    runs = [json.loads(line) for line in done.stdout.splitlines()]
    # A search that found nothing that works would have the slowest.
    slowest = max(table.seconds.values())
    return [(run["best"] or slowest) / table.best for run in runs]


def geometric(values):
    return math.exp(statistics.fmean(map(math.log, values)))


def interval(of_tasks, resamples=RESAMPLES):
    """The geometric mean over tasks and seeds, and 95 % of its bootstrap over seeds.

    >>> interval([[1.0, 1.0], [1.0, 1.0]], 10)
    (1.0, 1.0, 1.0)
    """
    drawn = random.Random(1)
    logs = [[math.log(value) for value in values] for values in of_tasks]
    means = []
    for _ in range(resamples):
        means.append(statistics.fmean(statistics.fmean(drawn.choices(values, k=len(values))) for values in logs))
    means.sort()
    low, high = means[int(0.025 * resamples)], means[min(int(0.975 * resamples), resamples - 1)]
    return geometric([geometric(values) for values in of_tasks]), math.exp(low), math.exp(high)


def show(of_tasks):
    return "%.3f [%.3f, %.3f]" % interval(of_tasks)


def run_all(options, paths, tables):
    """{(kind, budget): {method: losses by task and seed}}"""
    results = {}
    for kind, budget in itertools.product(("candidates", "seconds"), BUDGETS):
        for method in METHODS:
            losses = []
            for path, table in zip(paths, tables):
                seconds = budget * statistics.fmean(table.cost) if kind == "seconds" else 0
                losses.append(search(options, path, table, method, budget if kind == "candidates" else 0, seconds))
            results.setdefault((kind, budget), {})[method] = losses
    return results


def against_joint(results, method):
    """The loss of a method over that of joint, seed by seed."""
    return [[ours / joint for ours, joint in zip(a, b)] for a, b in zip(results[method], results["joint"])]


def by_budget(results):
    """Of {budget: {method: losses}} a line for each method."""
    return markdown(["search"] + list(map(str, BUDGETS)),
                    [[method] + [show(results[budget][method]) for budget in BUDGETS] for method in METHODS])


def over_joint(results):
    return markdown(["search"] + list(map(str, BUDGETS)),
                    [[method] + [show(against_joint(results[budget], method)) for budget in BUDGETS]
                     for method in METHODS if method != "joint"])


def one_by_one(what, of, losses):
    """A line for each of `of`, which have names."""
    return markdown([what] + list(METHODS), [[one.name] + [show([losses[method][i]]) for method in METHODS]
                                             for i, one in enumerate(of)])


def replay(options, paths, tables):
    results = run_all(options, paths, tables)
    parts = []
    for kind, says in (("candidates", "candidates"), ("seconds", "times the mean seconds of a candidate")):
        parts += [caption("What was found over the best of the table, geometric mean over %d tasks and %d seeds [95 %% "
                          "of the bootstrap over seeds], after so many %s:" % (len(tables), options.seeds, says)),
                  by_budget({budget: results[kind, budget] for budget in BUDGETS})]
    parts += ["Over what `joint` found with the same seed, at equal candidates (above 1: joint is better):",
              over_joint({budget: results["candidates", budget] for budget in BUDGETS})]
    parts += ["Each task after %d candidates:" % SHOWN, one_by_one("task", tables, results["candidates", SHOWN])]
    return "\n\n".join(parts)


#===--- Networks ---===#


def losses_of(options, network, method, trials):
    """Of each seed how much slower than its best a network is of which each place got so many trials."""
    found = [0.0] * options.seeds
    for place in network.places:
        losses = search(options, place.path, place.table, method, trials, 0) if len(place.table.seconds) > 1 else \
            [1.0] * options.seeds
        found = [total + place.calls * loss * place.table.best for total, loss in zip(found, losses)]
    return [seconds / network.best for seconds in found]


def explained(network):
    """The median over the places that choose of what one effect for each setting of a level explains."""
    shares = [analysis.explain_levels(place.table)[1] for place in network.choosing]
    known = [share for share in shares if share is not None]
    return statistics.median(known) if known else None


def describe_networks(of_networks):
    rows = []
    for network in of_networks:
        layers = networks.by_layers(network)
        judged = networks.judged(network)
        moved = [place for place in network.choosing if networks.fastest(place) != 0]
        rows.append([network.name, "%d of %d" % (len(network.choosing), len(network.places)),
                     sum(len(place.table.seconds) for place in network.choosing), percent(explained(network)),
                     *("%.3f" % layers[name] for name in ("default", "ways alone", "the rest alone", "ways first")),
                     "%.3f" % judged if judged else "", len(moved),
                     percent(sum(place.calls * place.table.best for place in moved) / network.best)])
    return rows


def write_networks(options, paths):
    of_networks = [networks.Network(path, options.folder / "composed") for path in paths]
    results = {budget: {method: [losses_of(options, network, method, budget) for network in of_networks]
                        for method in METHODS} for budget in BUDGETS}
    parts = [caption("Places that have a choice, configs of these, what levels that add up explain of a place in the "
                     "median (adjusted), and how much slower than the best a network is: by default; with the best way "
                     "of each place and the defaults of its other levels; with the default way and the best of the "
                     "rest; with the way that is best by the defaults of its other levels, and then the best of these. "
                     "How much slower the default is than what is best in one recording, both in the other one. In "
                     "how many places another way than the default is best, and what share of the best network's time "
                     "they take:"),
             markdown(["network", "places", "configs", "levels add up to", "default", "ways alone", "the rest alone",
                       "ways first", "default, judged", "other ways", "their share"], describe_networks(of_networks))]
    parts += [caption("What was found over the best, geometric mean over %d networks and %d seeds [95 %% of the bootstrap "
                      "over seeds], after so many candidates for each place:" % (len(of_networks), options.seeds)),
              by_budget(results)]
    parts += ["Over what `joint` found with the same seed (above 1: joint is better):", over_joint(results)]
    parts += ["Each network after %d candidates for each place:" % SHOWN,
              one_by_one("network", of_networks, results[SHOWN])]
    return "\n\n".join(parts)


#===--- Commands ---===#


def put(page, name, text):
    begin, end = "<!-- %s: begin -->\n" % name, "<!-- %s: end -->" % name
    head, rest = page.split(begin)
    return head + begin + text + "\n" + end + rest.split(end, 1)[1]


def write(options, paths, tables):
    of_networks = found(options, options.data / "networks", ".jsonl")
    page = put(PAGE.read_text(), "analysis", analyze(tables))
    page = put(page, "searches", replay(options, paths, tables))
    PAGE.write_text(put(page, "networks", write_networks(options, of_networks)))


def record_what_lacks(options):
    try:
        if options.command == "record":
            record.record(options, found(options, options.tasks, ".mlir"))
        else:
            names = [name for name in NETWORKS if re.search(options.only, name)]
            if not names:
                sys.exit("%s: no network of %s matches '%s'" % (COMMAND, ", ".join(NETWORKS), options.only))
            places.record_all(options, names)
    except record.Unfinished as unfinished:
        print("%s: the time is over at %s" % (COMMAND, unfinished), file=sys.stderr)
        sys.exit(3)
    except record.Failed as failed:
        sys.exit("%s: %s" % (COMMAND, failed))


def main(arguments):
    options = options_from(arguments)
    if options.command.startswith("record"):
        record_what_lacks(options)
        return
    if options.command == "networks":
        print(write_networks(options, found(options, options.data / "networks", ".jsonl")))
        return
    paths = found(options, options.data, ".jsonl")
    tables = [analysis.Table(path) for path in paths]
    if options.command == "analyze":
        print(analyze(tables))
    elif options.command == "replay":
        print(replay(options, paths, tables))
    else:
        write(options, paths, tables)


if __name__ == "__main__":
    main(sys.argv[1:])
