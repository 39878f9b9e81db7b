"""locked.py DATABASE COMMAND...: runs the command while another process is writing."""

import sqlite3
import subprocess
import sys

connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
sys.exit(subprocess.run(sys.argv[2:]).returncode)
