"""locked.py [--all] DATABASE COMMAND...: runs the command while another process is writing, or while
it has locked readers out as well."""

import sqlite3
import subprocess
import sys

arguments = sys.argv[1:]
is_for_all = arguments[0] == "--all"
if is_for_all:
    arguments.pop(0)
connection = sqlite3.connect(arguments[0], isolation_level=None)
if is_for_all:
    connection.execute("PRAGMA locking_mode = EXCLUSIVE")
connection.execute("BEGIN IMMEDIATE")
sys.exit(subprocess.run(arguments[1:]).returncode)
