#!/usr/bin/env python3
"""Runs the program of all tests in many processes, some at a time, and says what came of it.

    run-tests.py --program FILE --logs FOLDER [-- arguments such as --filter NAME]

A process of Swift Testing blocks the few threads that it has, so each one runs some suites, one test after the other, and
several processes run side by side (CHATELAINE_TEST_WORKERS, 3 a core). So each test's time is its own, and the test under
way is known. Each process runs contained: nothing that a test starts outlives it. A process in which no test ends for some
minutes (CHATELAINE_TEST_PATIENCE, 5) is ended, and the test under way is named.

With arguments there is one process, which runs the tests that they select and prints what it says. The last line is
"N passed, N failed[, N skipped]"; it counts tests. In the folder are each process's log and events, and `slowest.txt`.
"""

import argparse
import collections
import json
import os
import re
import signal
import subprocess
import sys
import time

# Targets with tests of many seconds: their processes begin first, and are small.
HEAVY = [
    "KeychainSyncTests", "EtcdTests", "SyncCommandTests", "AccessTests",
    "BehaviourTests", "LockedServiceTests", "KeychainStoreTests", "ProcessTests", "KeychainServerTests", "ToolTests",
    "KeyTests", "CredentialProgramTests", "ExchangeTests", "SSHAgentProcessTests", "SecretServiceProcessTests",
    "BackupCommandTests", "BrowserTestingTests", "CLibraryTests", "PasskeyProcessTests",
]
# A test of these takes half a minute: each suite has a process of its own.
LONG = ["SyncCommandTests"]
# These come after the others, fewer at a time: programs in them answer within the two seconds that the service gives them,
# or have lost, and a log-in waits no longer for a keychain.
LAST = ["AttackTests", "LoginTests"]

WORKERS = int(os.environ.get("CHATELAINE_TEST_WORKERS", 3 * os.cpu_count()))
PATIENCE = float(os.environ.get("CHATELAINE_TEST_PATIENCE", "5")) * 60
# What passcodes cost in the programs that tests start: the least that a keybag may ask for. It is a tenth of all that tests
# compute otherwise.
PASSCODE_COST = "14"
CONTAIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "contain.py")

# The status of a process of Swift Testing that has nothing to run.
NO_TEST_MATCHES = 69


class Run:
    """A process with some of the tests."""

    def __init__(self, name, program, logs, arguments, shows=False):
        self.name = name
        self.log = os.path.join(logs, name + ".log")
        self.events = os.path.join(logs, name + ".events")
        self.shows = shows
        self.shown = 0
        self.names = {}
        self.running = {}
        self.durations = {}
        self.failed = set()
        self.skipped = {}
        self.issues = []
        self.stalled = []
        self.is_complete = False
        self.rest = b""
        # Made beforehand: the process opens it some time after it has begun.
        open(self.events, "wb").close()
        open(self.log, "wb").close()
        self.reader = open(self.events, "rb")
        self.progress = time.monotonic()
        self.process = subprocess.Popen(
            [
                CONTAIN, "--log", self.log, "--", program, "--testing-library", "swift-testing", "--no-parallel",
                "--event-stream-output-path", self.events, "--event-stream-version", "0",
            ] + arguments,
            env=dict(os.environ, NO_COLOR="1", CHATELAINE_DEBUG_PASSCODE_COST=PASSCODE_COST),
        )

    def read(self):
        """Takes in what has happened since."""
        *lines, self.rest = (self.rest + self.reader.read()).split(b"\n")
        for line in lines:
            if line.strip():
                self.take(json.loads(line))
        if self.shows:
            with open(self.log, "rb") as log:
                log.seek(self.shown)
                text = log.read()
            self.shown += len(text)
            sys.stdout.buffer.write(text)
            sys.stdout.buffer.flush()

    def take(self, record):
        payload = record["payload"]
        if record["kind"] == "test":
            if payload["kind"] == "function":
                self.names[payload["id"]] = payload.get("displayName") or payload["name"]
            return
        kind, test = payload["kind"], payload.get("testID")
        instant = payload["instant"]["absolute"]
        if kind == "runEnded":
            self.is_complete = True
        elif kind == "issueRecorded" and not payload["issue"]["isKnown"] and payload["issue"].get("severity") != "warning":
            # The log has all issues of a test.
            if test not in self.failed:
                text = " / ".join(message["text"] for message in payload["messages"])
                place = payload["issue"].get("sourceLocation") or {}
                where = f"{place.get('fileID', self.name)}:{place.get('line', '?')}"
                self.issues.append(f"{where}: {self.title(test)}: {' '.join(text.split())[:300]}")
            self.failed.add(test)
        elif test in self.names:
            if kind == "testStarted":
                self.running[test] = instant
            elif kind == "testCaseEnded":
                self.progress = time.monotonic()
            elif kind == "testEnded":
                self.durations[test] = instant - self.running.pop(test, instant)
                self.progress = time.monotonic()
            elif kind == "testSkipped":
                self.running.pop(test, None)
                # Test "…" skipped: "its reason"
                text = " ".join(message["text"] for message in payload["messages"])
                self.skipped[test] = text.partition('" skipped: ')[2].strip('"')

    def title(self, test):
        if test is None:
            return "outside of all tests"
        return f"{test.split('.')[0]}: {self.names.get(test, test)}"

    def watch(self):
        """Looks at the process once; says whether it goes on."""
        status = self.process.poll()
        self.read()
        if status is None and time.monotonic() - self.progress > PATIENCE:
            self.stalled = [self.title(test) for test in self.running]
            self.stop()
            self.read()
        elif status is None:
            return True
        self.reader.close()
        return False

    def stop(self):
        """Ends the process and all that it started, if it has not ended."""
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait()

    @property
    def passed(self):
        return [test for test in self.durations if test not in self.failed]

    def faults(self):
        """What is wrong beside failed tests: a process that did not come to its end, or that failed without a failed test."""
        if not self.names and self.process.returncode == NO_TEST_MATCHES:
            yield f"No test is selected for {self.log}."
        elif self.stalled or not self.is_complete:
            for name in self.stalled or [self.title(test) for test in self.running]:
                yield f"It did not end: {name}"
            yield f"The tests of {self.log} did not come to their end (status {self.process.returncode})."
        elif self.process.returncode != 0 and not self.failed:
            yield f"The tests of {self.log} ended with status {self.process.returncode}, and no test failed."


def listed_tests(program):
    """The number of tests of each suite, by target; a test that is in no suite counts for the suite None."""
    command = [program, "--testing-library", "swift-testing", "--list-tests"]
    answer = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    targets = {}
    for line in answer.splitlines():
        target, _, rest = line.partition(".")
        suite = re.match(r"(\w+)/", rest)
        targets.setdefault(target, collections.Counter())[suite and suite.group(1)] += 1
    return targets


def parts(targets, names):
    """What one process each runs: a name, and a pattern of tests."""
    for target in names:
        suites = targets[target]
        if None in suites:
            yield target, rf"^{target}\."
            continue
        room = 1 if target in LONG else 12 if target in HEAVY + LAST else 40
        number, some, count = 0, [], 0
        for suite, tests in sorted(suites.items(), key=lambda item: -item[1]):
            some.append(suite)
            count += tests
            if count >= room:
                number += 1
                yield f"{target}-{number}", rf"^{target}\.({'|'.join(some)})/"
                some, count = [], 0
        if some:
            yield f"{target}-{number + 1}", rf"^{target}\.({'|'.join(some)})/"


def run_all(waiting, workers, start, runs, begun):
    """Runs parts, some side by side, and says each minute how far they are."""
    waiting = list(waiting)
    said = time.monotonic()
    going = []
    while waiting or going:
        while waiting and len(going) < workers:
            going.append(start(*waiting.pop(0)))
        still = []
        for run in going:
            told = len(run.issues)
            if run.watch():
                still.append(run)
            for issue in run.issues[told:]:
                print(f"✘ {issue}", flush=True)
        going = still
        if time.monotonic() - said >= 60:
            said = time.monotonic()
            ended = sum(len(run.durations) for run in runs)
            failed = sum(len(run.failed) for run in runs)
            print(f"{(said - begun) / 60:4.0f} min: {ended} ended, {failed} failed", flush=True)
        time.sleep(0.1)


def write_slowest(runs, path):
    """Every test by its time, and the sums of the targets."""
    tests, targets, counts = [], collections.Counter(), collections.Counter()
    for run in runs:
        for test, seconds in run.durations.items():
            tests.append((seconds, run.title(test)))
            targets[test.split(".")[0]] += seconds
            counts[test.split(".")[0]] += 1
    with open(path, "w", encoding="utf-8") as file:
        for target, seconds in targets.most_common():
            print(f"{seconds:9.1f} s in {counts[target]:4} tests  {target}", file=file)
        print(file=file)
        for seconds, name in sorted(tests, reverse=True):
            print(f"{seconds:9.2f} s  {name}", file=file)


def main():
    parser = argparse.ArgumentParser(description="Runs the program of all tests.")
    parser.add_argument("--program", required=True)
    parser.add_argument("--logs", required=True)
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_args()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda number, _: sys.exit(128 + number))
    runs = []
    try:
        run_tests(options, runs)
    finally:
        for run in runs:
            run.stop()


def run_tests(options, runs):
    begun = time.monotonic()
    faults = []

    def start(name, arguments, shows=False):
        runs.append(Run(name, options.program, options.logs, arguments, shows))
        return runs[-1]

    if options.arguments:
        some = start("some", options.arguments, shows=True)
        while some.watch():
            time.sleep(0.1)
    else:
        targets = listed_tests(options.program)
        first = [target for target in HEAVY if target in targets]
        last = [target for target in LAST if target in targets]
        others = [target for target in sorted(targets) if target not in first + last]
        for names, workers in ((first + others, WORKERS), (last, max(1, WORKERS // 3))):
            chosen = [(name, ["--filter", tests]) for name, tests in parts(targets, names)]
            run_all(chosen, workers, start, runs, begun)
        listed = sum(sum(suites.values()) for suites in targets.values())
        seen = sum(len(run.names) for run in runs)
        if seen != listed:
            faults.append(f"Of {listed} tests {seen} were to run.")

    write_slowest(runs, os.path.join(options.logs, "slowest.txt"))
    faults += [fault for run in runs for fault in run.faults()]
    for run in runs:
        for test, reason in run.skipped.items():
            print(f"Skipped: {run.title(test)}: {reason or 'no reason is given'}")
    for run in runs:
        for issue in run.issues:
            print(f"✘ {issue}")
    for fault in faults:
        print(fault)
    passed = sum(len(run.passed) for run in runs)
    # A process that did not end has tests that never began: a count of them would be a lie.
    failed = sum(len(run.failed) for run in runs) + len(faults)
    skipped = sum(len(run.skipped) for run in runs)
    print(f"{(time.monotonic() - begun) / 60:.1f} minutes; each test's time is in {options.logs}/slowest.txt")
    print(f"{passed} passed, {failed} failed" + (f", {skipped} skipped" if skipped else ""), flush=True)
    sys.exit(1 if failed else 0)


main()
