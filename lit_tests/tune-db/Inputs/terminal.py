"""terminal.py COLUMNS COMMAND...: runs the command on a terminal and prints what it printed."""

import fcntl
import os
import pty
import struct
import sys
import termios

pid, terminal = pty.fork()
if pid == 0:
    size = struct.pack("HHHH", 25, int(sys.argv[1]), 0, 0)
    fcntl.ioctl(1, termios.TIOCSWINSZ, size)
    os.execvp(sys.argv[2], sys.argv[2:])
output = b""
while True:
    try:
        piece = os.read(terminal, 65536)
    except OSError:  # the other end is closed
        break
    if not piece:
        break
    output += piece
sys.stdout.buffer.write(output.replace(b"\r\n", b"\n"))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
