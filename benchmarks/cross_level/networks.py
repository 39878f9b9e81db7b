"""What a network of benchmarks/cross_level/data/networks (places.py) takes: its places as tables.

The table of a place is made of those of its ways. It has a knob `way`, of the level graph, and for each task
of each way that one's knobs, which do something where `way` is theirs. A config takes what the tasks of its
way take together. The network takes what its places take, each as often as it is called.
"""

import itertools
import json
import math
import re
import statistics

import analysis

DIGITS = analysis.DIGITS
MOST_APART = 0.1  # recordings that agree
LEAST_SHARE = 0.0005  # of the network's time: what takes less is left out, as what is made of constants once


class Place:
    """`table` is an analysis.Table of the file at `path`; calls of it add up to the network's time."""

    def __init__(self, what, calls, path):
        self.what, self.calls, self.path = what, calls, path
        self.table = analysis.Table(path)
        names = [knob["name"] for knob in self.table.knobs]
        self.way = names.index("way") if "way" in names else None

    def best_of(self, way):
        """Of a way's configs, or of all where there is but one."""
        return min(seconds for config, seconds in self.table.seconds.items()
                   if self.way is None or config[self.way] == way)

    def default_of(self, way):
        """A way by its own default: the config whose other knobs have theirs."""
        if self.way is None:
            return self.table.seconds[self.table.default]
        wanted = tuple(way if i == self.way else knob["default"] for i, knob in enumerate(self.table.knobs))
        of_way = [config for config in self.table.seconds if config[self.way] == way]
        return self.table.seconds[min(of_way, key=lambda config: (sum(a != b for a, b in zip(config, wanted)), config))]

    @property
    def ways(self):
        return sorted({config[self.way] for config in self.table.seconds}) if self.way is not None else [0]


def renamed(expression, names):
    """An expression over knobs, with these names in place of theirs.

    >>> renamed("mr * nr <= 4 && kr == mr", {"mr": "a_mr", "nr": "a_nr", "kr": "a_kr"})
    'a_mr * a_nr <= 4 && a_kr == a_mr'
    """
    return re.sub(r"[A-Za-z_]\w*", lambda match: names.get(match[0], match[0]), expression)


def knobs_of_part(task, prefix, way):
    """The knobs and constraints of a task of a way."""
    names = {knob["name"]: prefix + knob["name"] for knob in task["knobs"]}
    knobs = []
    for knob in task["knobs"]:
        where = [way] if len(knob["values"]) > 1 else []
        where += ["(%s)" % renamed(knob["where"], names)] if "where" in knob else []
        knobs.append({**knob, "name": names[knob["name"]], **({"where": " && ".join(where)} if where else {})})
    return knobs, ["%s => %s" % (way, renamed(text, names)) for text in task["constraints"]]


def add_rows(parts):
    """Rows of several tasks that run one after the other, each with any config."""
    for rows in itertools.product(*parts):
        good = [None if None in times else sum(times) for times in zip(*(row["s"] for row in rows))]
        yield ([row["c"] for row in rows],
               {"s": good, "b": sum(row["b"] for row in rows), "m": sum(row["m"] for row in rows)})


def digits_of(knobs):
    return "".join(DIGITS[knob["default"]] for knob in knobs if len(knob["values"]) > 1)


def compose(place, tables):
    """The head and the rows of a place's table."""
    knobs, constraints, parts = [], [], []
    for way, of in enumerate(place["ways"]):
        for part, name in enumerate(of["tasks"]):
            own, held = knobs_of_part(tables[name], "w%d_%d_" % (way, part), "way == %d" % way)
            knobs.append(own)
            constraints += held
            parts.append((way, tables[name]["rows"]))
    labels = ["_".join(itertools.chain(*of["choices"].items())) or "default" for of in place["ways"]]
    ways = {"name": "way", "level": "graph", "values": list(range(len(labels))), "labels": labels, "default": 0,
            "ordered": False}
    defaults = list(map(digits_of, knobs))
    rows = []
    for way in range(len(labels)):
        places = [i for i, (of, _) in enumerate(parts) if of == way]
        for digits, row in add_rows([parts[i][1] for i in places]):
            words = list(defaults)
            for i, text in zip(places, digits):
                words[i] = text
            rows.append({"c": (DIGITS[way] if len(labels) > 1 else "") + "".join(words), **row, "d": len(rows) + 1})
    head = {"task": place["what"], "knobs": [ways] + list(itertools.chain(*knobs)), "constraints": constraints}
    return head, rows


class Network:
    def __init__(self, path, folder):
        head, *tasks = [json.loads(line) for line in path.read_text().splitlines()]
        tables = {task["id"]: task for task in tasks}
        self.name, self.places = head["network"], []
        folder.mkdir(parents=True, exist_ok=True)
        for i, place in enumerate(head["places"]):
            if place["share"] < LEAST_SHARE:
                continue
            table_head, rows = compose(place, tables)
            lines = [{**table_head, "recordings": head["recordings"]}] + rows
            file = folder / ("%s-%d.jsonl" % (self.name, i))
            file.write_text("\n".join(json.dumps(line, separators=(",", ":")) for line in lines) + "\n")
            self.places.append(Place(place["what"], place["calls"], file))

    def total(self, seconds_of):
        return sum(place.calls * seconds_of(place) for place in self.places)

    @property
    def best(self):
        return self.total(lambda place: place.table.best)

    @property
    def choosing(self):
        """Places that have anything to choose."""
        return [place for place in self.places if len(place.table.seconds) > 1]


def steady(table):
    """Configs whose recordings agree, and the default: of the others a time may be what a machine did beside."""
    return [config for config, logs in table.logs.items()
            if config == table.default or max(logs) - min(logs) < math.log(1 + MOST_APART)]


def judged(network):
    """How much slower than what was chosen in one recording the default is in another one, in the mean over
    pairs of recordings, of configs that are steady: what was but lucky does not count. None where there is one
    recording."""
    recordings = len(next(iter(network.places[0].table.logs.values())))
    ratios = []
    for chosen, judge in itertools.permutations(range(recordings), 2):
        default = best = 0
        for place in network.places:
            logs = place.table.logs
            winner = min(steady(place.table), key=lambda config, logs=logs: logs[config][chosen])
            default += place.calls * math.exp(logs[place.table.default][judge])
            best += place.calls * math.exp(logs[winner][judge])
        ratios.append(default / best)
    return statistics.fmean(ratios) if ratios else None


def fastest_by_default(place):
    return min(place.ways, key=place.default_of)


def fastest(place):
    return min(place.ways, key=place.best_of)


def by_layers(network):
    """How much slower than the best a network is that decides one after the other: by its defaults; by the
    best way of each place alone, and by the best of the other levels alone; by the way that is best with the
    defaults of its other levels, and then by these."""
    best = network.best
    return {
        "default": network.total(lambda place: place.table.seconds[place.table.default]) / best,
        "ways alone": network.total(lambda place: min(map(place.default_of, place.ways))) / best,
        "the rest alone": network.total(lambda place: place.best_of(0)) / best,
        "ways first": network.total(lambda place: place.best_of(fastest_by_default(place))) / best,
    }
