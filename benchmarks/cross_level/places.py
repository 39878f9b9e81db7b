"""Records the tables of networks: what the level graph decides of each task, and what comes after it.

A network is a module of benchmarks/networks. Its tasks, by default, are its places; a place counts as often
as it is called. The ways of a place are what the level graph decides of it: as a whole by one of the rules
that take it, or cut apart by one of the groupings that it has. Each task that comes of a way has some configs
left open, over several levels (`open_choices`), and all of them are measured, as record.py does it.

A file of data/networks has a line of JSON for the network, with the places and their ways, and one for each
task of a way: the head and the rows that a table of a task has. Equal tasks of several ways or places
are there once.
"""

import itertools
import json
import math
import re
import subprocess
import time

import record

LEAST_SHARE = 0.02  # of the network's time: a place of less has no choice
OPEN = {1: 24, 2: 12, 3: 8}  # by how many tasks a way has: how many configs of each are open at most
# Which knobs are open: of these the first ones, by how their name ends, as far as the number goes.
FIRST = ("layout", "algorithm", "nest_vectors", "nest_rows", "nest_loop", "chain", "mr", "nr", "vector", "winograd_tile", "kc", "partial", "tile_order", "tile_shape",
         "epilogue", "llvm_vector_width", "share", "band", "nc", "mc", "kr", "llvm_unroll")
MOST_VALUES = 3  # of a knob
MOST_COUNTED = 4096  # configs, before those are left out that a constraint forbids


def run(options, *words):
    return subprocess.run([options.bin / "tune-opt", *words], capture_output=True, text=True)


def parse_parts(text):
    """The tasks of what --tune-print-space says, by record.parse_space."""
    parts = re.split(r"\n(?=\S[^\n]*\n  key )", "\n" + text)[1:]
    return [part + ("\n" if not part.endswith("\n") else "") for part in parts]


#===--- Places ---===#


def places_of(options, module):
    """(name, calls, text of a module that is this task) of each task of a network, by default."""
    done = run(options, module, "--tune-extract")
    if done.returncode:
        raise SystemExit(done.stderr)
    text = done.stdout
    maps = "\n".join(line for line in text.splitlines() if re.match(r"#\w+ = ", line))
    large = re.search(r"^\{-#.*^#-\}$", text, re.S | re.M)  # constants, by their names
    found = []
    for match in re.finditer(r"^  func\.func private @(tune_task_\d+)(\(.*?)^  }$", text, re.S | re.M):
        body = re.sub(r" attributes \{tune\.task = \"[^\"]*\"\}", "", match[2])
        calls = len(re.findall(r"call @%s\(" % match[1], text))
        own = large[0] if large and "dense_resource" in body else ""
        found.append((match[1], calls, "%s\nfunc.func @main%s}\n%s\n" % (maps, body, own)))
    return found


def shares_of(options, module):
    """{name of a task, as it is printed: its share of the network's time}, by default; of several tasks with
    one name, what they take together."""
    done = subprocess.run([options.bin / "tune-run", module, "--db=", "--profile", "--check=false", "--time=0.5"],
                          capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(done.stderr)
    shares = {}
    for match in re.finditer(r"^ +([\d.]+) % +[\d.]+ \S+ +\d+ +(?:[\d.]+ %|-) +(.*)$", done.stdout, re.M):
        name = match[2].strip()
        shares[name] = shares.get(name, 0) + float(match[1]) / 100
    return shares


#===--- Ways ---===#


def with_choices(text, choices):
    """A place whose op that has the task's choices has these."""
    words = ", ".join('%s = "%s"' % item for item in choices.items())
    return text.replace("tune.anchor", "tune.choices = {%s}" % words, 1) if words else text.replace("tune.anchor, ", "")


def annotate(options, path, text):
    """What a way's module says with all choices open, and what its tasks are; None: there is no such way."""
    path.write_text(text)
    spaces = run(options, path, "--tune-print-space=target=cpu", "-o", "/dev/null")
    written = run(options, path, "--tune-annotate=target=cpu")
    if spaces.returncode or written.returncode or "warning" in spaces.stderr:
        return None
    return written.stdout, parse_parts(spaces.stderr)


def rules_of_cpu():
    """The rules that there are, as their page lists them."""
    page = (record.Path(__file__).resolve().parents[2] / "docs" / "spaces.md").read_text()
    rules = re.findall(r"^\| \[(\w+)\]\(#\w+\) \|", page, re.M)
    return [rule for rule in rules if rule not in ("plain", "host") and not rule.startswith("gpu_")]


def ways_of(options, folder, text):
    """[({choices of the level graph}, annotated text, tasks)] of a place; the default is the first."""
    first = annotate(options, folder / "way.mlir", text)
    if not first:
        return []
    ways = [({}, *first)]
    rule = re.search(r"rule '(\w+)'", first[1][0])[1]
    for other in rules_of_cpu():
        way = other != rule and annotate(options, folder / "way.mlir", with_choices(text, {"rule": other}))
        if way and len(way[1]) == 1 and re.search(r"rule '(\w+)'", way[1][0])[1] == other:
            ways.append(({"rule": other}, *way))
    groupings = re.search(r"^level graph: grouping = (.*)$", first[1][0], re.M)
    cuts = []
    for grouping in groupings[1].split(", ")[1:] if groupings else ():
        way = annotate(options, folder / "way.mlir", with_choices(text, {"grouping": grouping}))
        keys = way and sorted(re.findall(r"key (\w+)", "".join(way[1])))
        if way and 1 < len(way[1]) <= max(OPEN) and keys not in cuts:
            cuts.append(keys)
            ways.append(({"grouping": grouping}, *way))
    return ways


#===--- Choices ---===#


def nearest(values, default, ordered, most):
    """The default and those around it.

    >>> nearest([1, 2, 4, 8, 16], 8, True, 3)
    [4, 8, 16]
    >>> nearest(["a", "b", "c"], "c", False, 2)
    ['a', 'c']
    >>> nearest([1, 2], 1, True, 3)
    [1, 2]
    """
    at = values.index(default)
    by_distance = sorted(range(len(values)), key=lambda i: (abs(i - at) if ordered else (i != at, i), i))
    return [values[i] for i in sorted(by_distance[:most])]


def python_for(expression, names):
    """A condition or constraint of a space, whose words are compared as they are printed, as Python's.

    >>> python_for("form == rows && mr <= 4 => mr % kr == 0", {"form", "mr", "kr"})
    'not (form == "rows"  and  mr <= 4 ) or ( mr % kr == 0)'
    """
    text = re.sub(r"(==|!=) ([A-Za-z_][\w.-]*)",
                  lambda match: match[0] if match[2] in names else '%s "%s"' % (match[1], match[2]), expression)
    text = re.sub(r"!(?!=)", " not ", text.replace("&&", " and ").replace("||", " or ").replace("/", "//"))
    *premises, result = text.split("=>")
    for premise in reversed(premises):
        result = "not (%s) or (%s)" % (premise, result)
    return result


class Space:
    """A task's knobs as they are printed: words or numbers."""

    def __init__(self, task, kinds):
        _, _, _, self.knobs, constraints = record.parse_space(task, kinds)
        names = {knob["name"] for knob in self.knobs}
        self.defaults = {}
        for knob in self.knobs:
            knob["domain"] = knob.get("labels") or knob["values"]
            self.defaults[knob["name"]] = knob["domain"][knob["default"]]
        self.constraints = [compile(python_for(text, names).strip(), text, "eval") for text in constraints]
        self.conditions = {knob["name"]: compile(python_for(knob["where"], names).strip(), knob["where"], "eval")
                           for knob in self.knobs if knob["where"]}

    def count(self, domains):
        """How many configs there are that differ, of these values of each knob."""
        found = set()
        for choice in itertools.product(*domains.values()):
            config = dict(zip(domains, choice))
            for name, condition in self.conditions.items():
                if not self.holds(condition, config):
                    config[name] = self.defaults[name]
            if all(self.holds(constraint, config) for constraint in self.constraints):
                found.add(tuple(config.values()))
        return len(found)

    @staticmethod
    def holds(expression, config):
        try:
            return bool(eval(expression, {"__builtins__": {}, "min": min, "max": max}, config))
        except ZeroDivisionError:
            return False


def open_choices(space, most):
    """Of each knob the values that are left: so many configs at most."""
    left = {name: [default] for name, default in space.defaults.items()}
    size = 1
    for ending in FIRST:
        for knob in space.knobs:
            name = knob["name"]
            if name != ending and not name.endswith("_" + ending) or len(left[name]) > 1:
                continue
            for count in range(min(len(knob["domain"]), MOST_VALUES), 1, -1):
                wider = {**left, name: nearest(knob["domain"], space.defaults[name], knob["ordered"], count)}
                now = space.count(wider) if math.prod(map(len, wider.values())) <= MOST_COUNTED else 0
                if size < now <= most:
                    left, size = wider, now
                    break
    return left


def restrict(annotated, tasks, most):
    """The annotated module with few of the choices left open. The ops with choices are in the order of the
    tasks."""
    dicts = list(re.finditer(r"tune\.choices = \{(.*?)\}", annotated))
    if len(dicts) != len(tasks):
        return None
    pieces, end = [], 0
    for match, task in zip(dicts, tasks):
        entries = dict(re.findall(r"([\w.]+) = (#tune\.\w+<\[.*?\]>|\"[^\"]*\"|-?\d+)", match[1]))
        kinds = {name: found[1] for name, entry in entries.items() if (found := re.match(r"#tune\.(\w+)", entry))}
        space = Space(task, kinds)
        if set(space.defaults) - set(entries):
            return None
        for name, values in open_choices(space, most).items():
            kind = kinds.get(name)
            if not kind:
                continue
            words = ['"%s"' % value if '"' in entries[name] else str(value) for value in values]
            entries[name] = "#tune.%s<[%s]>" % (kind, ", ".join(words)) if len(words) > 1 else words[0]
        if "grouping" in kinds:
            entries["grouping"] = '"whole"'
        pieces += [annotated[end:match.start(1)], ", ".join("%s = %s" % item for item in sorted(entries.items()))]
        end = match.end(1)
    return "".join(pieces) + annotated[end:]


#===--- Recording ---===#


def databases_of(options, network, choices):
    """One for each recording. Times by another rule are of the same key, and elsewhere."""
    name = "%s-%s" % (network, choices.get("rule", "default"))
    return [options.folder / ("%s-%d.db" % (name, i + 1)) for i in range(options.recordings)]


def is_of(head, config):
    return len(config) == len(head["knobs"]) and all(config.get(knob["name"]) in knob["values"]
                                                     for knob in head["knobs"])


def read_tasks(options, path, databases, tasks, most):
    """{id: table} of the tasks of a way, and their ids in order; None: one has no config that works."""
    tables, ids = {}, []
    for task in tasks:
        key = re.search(r"^  key (\w+)", task, re.M)[1]
        head = record.describe_task(options, path, "cpu", key)
        recordings = []
        for database in databases:
            trials, device = record.trials_of(options, database, key, "cpu")
            recordings.append({text: trial for text, trial in trials.items() if is_of(head, json.loads(text))})
        rows = record.rows_of(head["knobs"], recordings)
        if not any(all(row["s"]) for row in rows):
            return None, None, device
        ids.append("%s %s %d" % (key, head["rule"], most))
        tables[ids[-1]] = {**head, "rows": rows}
    return tables, ids, device


def record_place(options, network, place, share, end):
    """A place, {id: table} of the tasks of its ways, and what it ran on."""
    name, calls, text = place
    folder = options.folder / network
    folder.mkdir(parents=True, exist_ok=True)
    found, tables, device = [], {}, None
    for choices, annotated, tasks in ways_of(options, folder, text):
        most = OPEN[len(tasks)] if share >= LEAST_SHARE else 1
        written = restrict(annotated, tasks, most)
        if not found and choices:
            break  # the default is none that can be recorded: there is nothing to compare with
        if not written or found and most == 1:
            continue
        path = folder / ("%s-%d.mlir" % (name, len(found)))
        path.write_text(written)
        databases = databases_of(options, network, choices)
        try:
            for database in databases:
                record.search(options, path, database, end - time.monotonic())
        except record.Failed as failed:
            said = re.search(r"(?:warning|error): (.*)", str(failed))
            print("%s: a way is left out: %s" % (network, said[1] if said else failed), flush=True)
            continue
        of_way, ids, device = read_tasks(options, path, databases, tasks, most)
        if ids:
            tables.update(of_way)
            found.append({"choices": choices, "tasks": ids})
        elif not found:
            return None, {}, device
    what = tables[found[0]["tasks"][0]]["what"] if found else name
    return {"what": what, "calls": calls, "share": round(share, 4), "ways": found}, tables, device


def record_network(options, network, end):
    module = options.networks / ("%s-1" % network) / "net.mlir"
    shares = shares_of(options, module)
    places, tables = [], {}
    for place in places_of(options, module):
        what = re.match(r"(.*)\n", annotate_name(options, place[2]))
        share = shares.get(what[1].strip(), 0) if what else 0
        recorded, of_place, device = record_place(options, network, place, share, end)
        if recorded and recorded["ways"]:
            places.append(recorded)
            tables.update(of_place)
    head = {"network": network, "device": device, "recordings": options.recordings,
            "date": time.strftime("%Y-%m-%d"), "places": places}
    lines = [head] + [{"id": name, **table} for name, table in tables.items()]
    folder = options.data / "networks"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / (network + ".jsonl")).write_text(
        "\n".join(json.dumps(line, separators=(",", ":")) for line in lines) + "\n")


def annotate_name(options, text):
    path = options.folder / "name.mlir"
    path.write_text(text)
    tasks = parse_parts(run(options, path, "--tune-print-space=target=cpu", "-o", "/dev/null").stderr)
    return tasks[0] if tasks else ""


def record_all(options, names):
    """Records what is not recorded, for as long as the options say."""
    options.folder.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + options.seconds
    for network in names:
        record_network(options, network, end)
        print("%s: %s is recorded" % (time.strftime("%H:%M:%S"), network), flush=True)
