#!/usr/bin/env python3
# Tier: check-all
"""contributing_test.py SOURCE SCRATCH: does what the examples of CONTRIBUTING.md say, in a copy.

Code after "New file `path`:" becomes that file. A ```diff after a sentence that names a file is
applied to it: its lines without + are there, one after the other, exactly once. Then the copy is
built, and each line "$ command" of a ```sh is run; it has to succeed, and what follows it has to be
in what it prints, in that order."""
import os
import re
import shutil
import subprocess
import sys

TOOLS = ["tune-opt", "tune-run", "tune-worker", "tune-measure", "tune_runtime", "check_layers"]


def copy(source, folder):
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(source, folder, symlinks=True, ignore=lambda at, names: [
        n for n in names if n in (".git", ".cache") or (at == source and n.startswith("build"))])


def blocks(page):
    """(the text before it since the last block, language, contents) of each fenced block."""
    place = 0
    for found in re.finditer(r"^```(\w*)\n(.*?)^```$", page, re.M | re.S):
        yield page[place:found.start()], found.group(1), found.group(2)
        place = found.end()


def named_file(before):
    names = re.findall(r"`([\w./-]+/[\w.-]+)`", before)
    if not names:
        sys.exit("contributing_test: no file is named before a block:\n" + before)
    return names[-1]


def apply(path, diff):
    lines = diff.splitlines()
    old = [line[1:] for line in lines if not line.startswith("+")]
    new = [line[1:] for line in lines if not line.startswith("-")]
    with open(path) as file:
        text = file.read().split("\n")
    places = [i for i in range(len(text) - len(old) + 1) if text[i:i + len(old)] == old]
    if len(places) != 1:
        sys.exit("contributing_test: %s: these lines are there %d times, not once:\n%s"
                 % (path, len(places), "\n".join(old)))
    text[places[0]:places[0] + len(old)] = new
    with open(path, "w") as file:
        file.write("\n".join(text))


def run(command, folder):
    path = os.path.join(folder, "build", "bin") + os.pathsep + os.environ["PATH"]
    done = subprocess.run(command, shell=True, cwd=folder, text=True, stdin=subprocess.DEVNULL,
                          env=dict(os.environ, PATH=path, XDG_CACHE_HOME=folder + "/cache"),
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit("contributing_test: status %d of: %s\n%s" % (done.returncode, command, done.stdout))
    return done.stdout


def main():
    source, folder = sys.argv[1:]
    copy(source, folder)
    with open(os.path.join(source, "CONTRIBUTING.md")) as file:
        page = file.read()
    page = page[page.index("## Four examples"):]
    commands = []
    for before, language, contents in blocks(page):
        if language == "sh":
            commands.append(contents)
        elif language == "diff":
            apply(os.path.join(folder, named_file(before)), contents)
        else:
            path = os.path.join(folder, named_file(before))
            if os.path.exists(path):
                sys.exit("contributing_test: %s is there already" % path)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w") as file:
                file.write(contents)
    if len(commands) != 4:
        sys.exit("contributing_test: %d examples with commands, expected 4" % len(commands))
    # Quick to build, and not what is measured.
    run("cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 "
        "-DCMAKE_CXX_FLAGS_DEBUG=-O0 -DTUNE_BUILD_TESTS=OFF", folder)
    run("cmake --build build --target " + " ".join(TOOLS), folder)
    checked = 0
    for text in commands:
        for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
            command, *expected = part.rstrip("\n").split("\n")
            output = run(command, folder)
            place = 0
            for line in expected:
                place = output.find(line, place)
                if place < 0:
                    sys.exit("contributing_test: '%s' is not, or not in this order, in what this "
                             "prints: %s\n%s" % (line, command, output))
                checked += 1
    if not checked:
        sys.exit("contributing_test: no output was compared")
    shutil.rmtree(folder)
    print("contributing_test: %d examples done, %d lines found" % (len(commands), checked))


main()
