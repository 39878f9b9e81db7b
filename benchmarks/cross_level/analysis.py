"""What a table of benchmarks/cross_level (record.py) says of its levels, without any search.

An additive model over levels has one effect for each joint setting of a level's knobs: log t = mean + the
sum of the effects. What it does not explain is what levels do together, and noise.
"""

import itertools
import json
import math
import statistics

LEVELS = ("graph", "linalg", "vector", "loop", "buffer", "gpu", "target")
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Table:
    """The configs of a task that went well. `configs` are tuples of choices, of the knobs that have any."""

    def __init__(self, path):
        head, *rows = [json.loads(line) for line in path.read_text().splitlines()]
        self.name, self.head, self.count = head["task"], head, len(rows)
        self.knobs = [knob for knob in head["knobs"] if len(knob["values"]) > 1]
        self.fixed = {knob["name"]: knob["values"][0] for knob in head["knobs"] if len(knob["values"]) == 1}
        self.levels = [level for level in LEVELS if any(knob["level"] == level for knob in self.knobs)]
        self.seconds, self.logs, self.cost = {}, {}, []
        for row in rows:
            self.cost.append(row["b"] + row["m"])
            if None in row["s"]:
                continue
            config = tuple(DIGITS.index(digit) for digit in row["c"])
            self.logs[config] = [math.log(seconds) for seconds in row["s"]]
            self.seconds[config] = math.exp(min(self.logs[config]))
        self.best = min(self.seconds.values())
        # The conditions are C's.
        self.conditions = [compile(knob["where"].replace("&&", " and ").replace("||", " or "), knob["name"], "eval")
                           if "where" in knob else None for knob in self.knobs]
        default = tuple(knob["default"] for knob in self.knobs)
        self.default = default if default in self.seconds else self.nearest(default)

    def nearest(self, config):
        """Where the defaults break a constraint or fail: the config with the fewest others."""
        return min(self.seconds, key=lambda other: (sum(a != b for a, b in zip(other, config)), other))

    def is_active(self, knob, config):
        """Whether the knob does something under a config."""
        if self.conditions[knob] is None:
            return True
        values = {of["name"]: of["values"][choice] for of, choice in zip(self.knobs, config)}
        return bool(eval(self.conditions[knob], {"__builtins__": {}}, {**self.fixed, **values}))

    def setting(self, config, level):
        return tuple(choice for choice, knob in zip(config, self.knobs) if knob["level"] == level)


def fit(settings, values, rounds=200):
    """The additive model of values with a tuple of settings each, by backfitting; what it gives for each.

    >>> [round(value, 6) for value in fit([("a", 0), ("a", 1), ("b", 0), ("b", 1)], [1, 2, 11, 12])]
    [1.0, 2.0, 11.0, 12.0]
    """
    mean = statistics.fmean(values)
    residuals = [value - mean for value in values]
    for _ in range(rounds):
        moved = 0
        for factor in range(len(settings[0]) if settings else 0):
            groups = {}
            for i, setting in enumerate(settings):
                groups.setdefault(setting[factor], []).append(i)
            for members in groups.values():
                effect = sum(residuals[i] for i in members) / len(members)
                moved = max(moved, abs(effect))
                for i in members:
                    residuals[i] -= effect
        if moved < 1e-9:
            break
    return [value - residual for value, residual in zip(values, residuals)]


def explain(table, factors):
    """How much of the variance of log times a model explains that adds up one effect for each of `factors`,
    functions of a config; the same, less what so many effects explain of anything; and how much slower than
    the best the config is that it takes for the best."""
    configs = list(table.seconds)
    logs = [math.log(table.seconds[config]) for config in configs]
    settings = [tuple(factor(config) for factor in factors) for config in configs]
    model = fit(settings, logs)
    mean = statistics.fmean(logs)
    total = sum((log - mean) ** 2 for log in logs)
    left = sum((log - value) ** 2 for log, value in zip(logs, model))
    effects = sum(len({setting[i] for setting in settings}) - 1 for i in range(len(factors)))
    degrees = len(logs) - 1 - effects
    adjusted = 1 - left / degrees / (total / (len(logs) - 1)) if degrees > 0 and total else None
    chosen = configs[min(range(len(configs)), key=model.__getitem__)]
    return 1 - left / total if total else 1, adjusted, table.seconds[chosen] / table.best


def explain_levels(table):
    return explain(table, [lambda config, level=level: table.setting(config, level) for level in table.levels])


def explain_knobs(table):
    return explain(table, [lambda config, i=i: config[i] for i in range(len(table.knobs))])


def repeatable(table):
    """How much of the variance of log times one recording says of another one (r squared), in the mean over
    pairs of recordings; None where there is one."""
    recordings = list(zip(*table.logs.values()))
    pairs = list(itertools.combinations(recordings, 2))
    return statistics.fmean(statistics.correlation(a, b) ** 2 for a, b in pairs) if pairs else None


def may_choose(table, config, at, level):
    """Whether a level that is searched from `at`, with all others frozen, has `config`: a knob that does
    nothing has its default."""
    others = [i for i, knob in enumerate(table.knobs) if knob["level"] != level and config[i] != at[i]]
    return all(config[i] == table.knobs[i]["default"] and not table.is_active(i, config) for i in others)


def descend(table, order, again=False, start=None):
    """How much slower than the best that is where levels are searched one after the other, each
    exhaustively, from the default or another start; `again`: until nothing is gained."""
    at = start or table.default
    while True:
        before = at
        for level in order:
            choices = [config for config in table.seconds if may_choose(table, config, at, level)]
            # Of the same code the one that there is stays.
            at = min(choices, key=lambda config, now=at: (table.seconds[config], config != now, config))
        if not again or at == before:
            return table.seconds[at] / table.best


def descend_all(table, again=False):
    """Of each order of the levels, the loss."""
    return {order: descend(table, order, again) for order in itertools.permutations(table.levels)}


def descend_from_all(table):
    """From graph to target with each config of the table in place of the default: the losses, sorted. What
    layers reach owes much to where they begin."""
    return sorted(descend(table, table.levels, start=config) for config in table.seconds)


def alone(table):
    """The best that each level alone reaches from the default, as a loss."""
    return {level: descend(table, (level,)) for level in table.levels}
