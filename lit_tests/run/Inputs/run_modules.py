"""run_modules.py FOLDER ARGUMENT...: tune-run with ARGUMENT... on each module of FOLDER. Names those for
which it fails, with its first error, and how many there were."""

import subprocess
import sys
from pathlib import Path

modules = sorted(Path(sys.argv[1]).glob("*.mlir"))
failed = 0
for module in modules:
    run = subprocess.run(["tune-run", module, *sys.argv[2:]], capture_output=True, text=True)
    if run.returncode:
        failed += 1
        lines = (run.stderr + run.stdout).splitlines() or [""]
        print("%s: status %d: %s" % (module.name, run.returncode,
                                     next((line for line in lines if "error" in line), lines[0])))
print("%d modules, %d failed" % (len(modules), failed))
sys.exit(failed > 0)
