"""What a search leaves behind, for tests that end it or what it has started with -9."""

import ctypes
import os
import time

PR_SET_CHILD_SUBREAPER = 36


# What a search leaves behind becomes a child of this process.
def adopt():
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


# All children that are left end at once, or are left; among them is who removes the files.
def is_process_left():
    end = time.monotonic() + 60
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                if time.monotonic() > end:
                    return True
                time.sleep(0.005)
        except ChildProcessError:
            return False
