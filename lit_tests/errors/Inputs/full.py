"""full.py KILOBYTES FOLDER COMMAND...: runs the command with a file system of that size mounted on the
folder, in a mount namespace of its own."""

import os
import subprocess
import sys

script = 'mount -t tmpfs -o size="$0k" tmpfs "$1" && shift && exec "$@"'
unshare = ["unshare", "--user", "--map-root-user", "--mount"]
os.makedirs(sys.argv[2], exist_ok=True)
sys.exit(subprocess.run([*unshare, "sh", "-c", script, *sys.argv[1:]]).returncode)
