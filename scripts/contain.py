#!/usr/bin/env python3
"""Runs a command and ends everything that the command started, whatever group, session or namespace it went to.

    contain.py [--log FILE] [--minutes N] -- COMMAND...

As root the command runs in namespaces of processes and mounts of its own, which the kernel ends with it. Otherwise this
process adopts what the command leaves behind, and kills it. The output goes to the file, so nobody waits for a pipe that a
daemon holds. Temporary files have a folder of their own, which goes with the command. The status is the command's, or 124
if its time ran out. If this process is killed, so is the command.
"""

import argparse
import ctypes
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PR_SET_PDEATHSIG = 1
PR_SET_CHILD_SUBREAPER = 36
OUT_OF_TIME = 124

# What the command finds as TMPDIR.
scratch = None

libc = ctypes.CDLL(None, use_errno=True)


def end_with_parent():
    """Asks the kernel to kill this process if the process that started it ends."""
    libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def adopt_orphans():
    libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


NAMESPACES = ["unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "--propagation", "private"]


def can_make_namespaces():
    """Containers without the rights for it have none."""
    return os.geteuid() == 0 and subprocess.run(NAMESPACES + ["true"], capture_output=True, check=False).returncode == 0


def descendants():
    """Process numbers of everything that descends from this process."""
    children = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", "rb") as file:
                # The name of a program, in parentheses, may contain anything.
                state, parent = file.read().rsplit(b")", 1)[1].split()[:2]
        except OSError:
            continue
        if state != b"Z":
            children.setdefault(int(parent), []).append(int(name))
    found, ahead = [], [os.getpid()]
    while ahead:
        ahead = [child for process in ahead for child in children.get(process, [])]
        found += ahead
    return found


def end_descendants():
    """Kills until nothing is left: what is killed may have started something meanwhile."""
    deadline = time.monotonic() + 10
    while left := descendants():
        for process in left:
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass
        reap()
        if time.monotonic() > deadline:
            sys.exit(f"contain.py: these do not end: {left}")
        time.sleep(0.02)
    reap()


def reap():
    try:
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
    except ChildProcessError:
        pass


def wait_for(child, deadline):
    """Waits for one child and for every orphan that comes; gives the child's status, or None after the deadline."""
    while True:
        try:
            ended, status = os.waitpid(-1, 0 if deadline is None else os.WNOHANG)
        except ChildProcessError:
            return 1
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code
        if ended == 0:
            if time.monotonic() > deadline:
                return None
            time.sleep(0.05)


def start(command, **options):
    return subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=end_with_parent, **options).pid


def first_process(command):
    """The first process of the namespace: waits for whoever loses its parent, and with it all others end."""
    end_with_parent()
    sys.exit(wait_for(start(command), None))


def make_scratch():
    """A folder with a short name, since it may be inside another one: the path of a socket has 108 bytes."""
    while True:
        path = os.path.join(tempfile.gettempdir(), "r" + secrets.token_hex(2))
        try:
            os.mkdir(path, 0o700)
        except FileExistsError:
            continue
        # As /tmp is: the command may have programs of other users.
        os.chmod(path, 0o1777)
        return path


def main():
    if sys.argv[1:2] == ["--first"]:
        first_process(sys.argv[2:])
    parser = argparse.ArgumentParser(description="Runs a command and ends everything that it started.")
    parser.add_argument("--log", help="a file for its output")
    parser.add_argument("--minutes", type=float, help="how long it may take")
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()

    end_with_parent()
    adopt_orphans()
    global scratch
    scratch = make_scratch()
    signal.signal(signal.SIGTERM, lambda *_: stop(128 + signal.SIGTERM))
    signal.signal(signal.SIGINT, lambda *_: stop(128 + signal.SIGINT))

    output = {}
    if options.log:
        log = open(options.log, "ab")
        output = {"stdout": log, "stderr": subprocess.STDOUT}
    command = options.command
    if can_make_namespaces():
        command = NAMESPACES + [sys.executable, os.path.abspath(__file__), "--first"] + command
    deadline = None if options.minutes is None else time.monotonic() + options.minutes * 60
    environment = dict(os.environ, TMPDIR=scratch)
    status = wait_for(start(command, start_new_session=True, env=environment, **output), deadline)
    stop(OUT_OF_TIME if status is None else status)


def stop(status):
    end_descendants()
    if scratch:
        shutil.rmtree(scratch, ignore_errors=True)
    # The log has everything by now.
    os._exit(status)


main()
