"""ended.py kill|stderr OUTPUT COMMAND...: runs a search with -o OUTPUT, and once it has said a line, kills it, or
no longer reads its stderr; prints what ended it, and what is in OUTPUT."""

import signal
import subprocess
import sys

how, output, command = sys.argv[1], sys.argv[2], sys.argv[3:]
search = subprocess.Popen([*command, "-o", output], stderr=subprocess.PIPE)
search.stderr.readline()
if how == "kill":
    search.kill()
search.stderr.close()
code = search.wait()
with open(output) as file:
    print("ended by %s; %s" % (signal.Signals(-code).name if code < 0 else code, file.read()))
