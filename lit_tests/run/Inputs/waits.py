# Runs a program while another one times a module without end on the same cores, until it says that
# it waits; then tells it to end.
import signal
import subprocess
import sys

module, *command = sys.argv[1:]
holder = subprocess.Popen(
    ["tune-run", module, "--check=false", "--run-time=3600", "--db="],
    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
try:
    said = ""
    while "waiting" not in said:
        waiter = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while "waiting" not in said:
            said = waiter.stderr.readline()
            if not said:
                break  # it was there first
        if said:
            waiter.send_signal(signal.SIGTERM)
        waiter.communicate(timeout=60)
    print(said, end="")
    print("ended")
finally:
    holder.terminate()
    holder.wait()
