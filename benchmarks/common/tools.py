"""What the benchmarks of all targets keep and call: their results so far, and our tools."""

import json
import subprocess


class ToolError(RuntimeError):
    """One of our tools said no; the text is its first error, `status` its exit status, `output` what it
    wrote to stdout all the same."""

    def __init__(self, text, status, output):
        super().__init__(text)
        self.status, self.output = status, output


def run_tool(program, *arguments, log):
    """The tool's stdout. What it says on stderr is appended to `log`."""
    process = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    with open(log, "a") as file:
        file.write("$ %s %s\n%s" % (program.name, " ".join(map(str, arguments)), process.stderr))
    if process.returncode:
        lines = process.stderr.splitlines()
        errors = [line for line in lines if "error" in line] or lines
        raise ToolError((errors or ["%s ended with status %d" % (program.name, process.returncode)])[0],
                        process.returncode, process.stdout)
    return process.stdout


class Session:
    """A folder with all that a benchmark makes, and results.json in it: an entry for each key."""

    def __init__(self, folder, root):
        self.folder = folder.resolve()
        self.folder.mkdir(parents=True, exist_ok=True)
        self.revision = subprocess.run(["git", "describe", "--always", "--dirty"], cwd=root,
                                       capture_output=True, text=True).stdout.strip() or "unknown"
        self.results_path = self.folder / "results.json"
        self.load()

    def load(self):
        """The results of `results_path`, which may be another one by now."""
        self.results = {}
        if self.results_path.exists():
            self.results = json.loads(self.results_path.read_text())

    def is_done(self, key):
        """Whether there is a result of this commit."""
        return key in self.results and self.results[key]["revision"] == self.revision

    def save(self):
        partial = self.results_path.with_suffix(".partial")
        partial.write_text(json.dumps(self.results, indent=1))
        partial.replace(self.results_path)
