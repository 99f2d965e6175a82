#!/usr/bin/env python3
"""Measures Secret Services beside one another: see scripts/bench-secrets.sh, which starts this."""
import argparse
import base64
import os
import shutil
import subprocess
import sys
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
PEER = "gnome-keyring"
LOOKUP = ["secret-tool", "lookup", "service", "service-3", "account", "account-3"]


# All that was started: it ends with this program, whatever happens.
processes = []


def spawn(*arguments, **options):
    process = subprocess.Popen(*arguments, **options)
    processes.append(process)
    return process


def wait_until(what, condition):
    for _ in range(3000):
        if condition():
            return
        time.sleep(0.02)
    raise SystemExit(f"{what} does not come")


class Driver:
    """A process of Peers/secret-service.c."""

    def __init__(self, program, environment):
        self.process = spawn(
            [program], env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def begin(self, operation, items, runs):
        self.process.stdin.write(f"{items} {runs} {operation}\n")
        self.process.stdin.flush()

    def finish(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("a driver ended early")
        return [float(number) for number in line.split()]

    def run(self, operation, items, runs=1):
        self.begin(operation, items, runs)
        return self.finish()

    def stop(self):
        self.process.stdin.close()
        self.process.wait()


class Site:
    """A bus with a Secret Service on it, which has so many items."""

    def __init__(self, name, items, options):
        self.name, self.items, self.options = name, items, options
        self.drivers = []

    def connect(self, clients):
        while len(self.drivers) < clients:
            driver = Driver(self.options.driver, self.environment)
            driver.run("get", self.items, 2)
            driver.run("bare-get", self.items, 2)
            self.drivers.append(driver)

    def stop(self):
        for driver in self.drivers:
            driver.stop()


class Peer(Site):
    """gnome-keyring."""

    def __init__(self, items, options):
        super().__init__(PEER, items, options)
        self.process = spawn(
            [HERE + "/Peers/gnome-keyring.sh", str(items), "bash", "-c", "echo $DBUS_SESSION_BUS_ADDRESS; exec cat"],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )
        self.environment = os.environ | {"DBUS_SESSION_BUS_ADDRESS": self.process.stdout.readline().strip()}
        first = Driver(options.driver, self.environment)
        first.run("encrypt", items)
        first.stop()
        self.connect(1)

    def memory(self):
        return {"gnome-keyring-daemon": self.drivers[0].run("memory", self.items)[0]}

    def stop(self):
        super().stop()
        self.process.stdin.close()
        self.process.wait()


class KeePassXC(Site):
    """KeePassXC without a display, which has to be installed. Only its reads are measured: it asks a person before it
    replaces an item, and 2.7.4 ends while items are deleted one after the other."""

    def __init__(self, items, options):
        super().__init__("KeePassXC", items, options)
        self.folder = tempfile.mkdtemp()
        # Without services that the bus could start: a portal would have it start gnome-keyring.
        with open(self.folder + "/bus.conf", "w", encoding="utf-8") as file:
            file.write(f"""<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
                "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd"><busconfig><type>session</type>
                <listen>unix:path={self.folder}/bus</listen><policy context="default"><allow own="*"/>
                <allow send_destination="*" eavesdrop="true"/><allow eavesdrop="true"/></policy></busconfig>""")
        self.write_items()
        with open(self.folder + "/settings", "w", encoding="utf-8") as file:
            file.write("[General]\nConfigVersion=2\nUpdateCheckMessageShown=true\n[GUI]\nCheckForUpdates=false\n"
                       "[FdoSecrets]\nEnabled=true\nShowNotification=false\nConfirmAccessItem=false\n"
                       "ConfirmDeleteItem=false\nNoConfirmDeleteItem=true\nUnlockBeforeSearch=false\n")
        os.mkdir(self.folder + "/run", 0o700)
        self.environment = os.environ | {
            "HOME": self.folder, "XDG_RUNTIME_DIR": self.folder + "/run", "XDG_CONFIG_HOME": self.folder,
            "XDG_CACHE_HOME": self.folder, "QT_QPA_PLATFORM": "offscreen", "TMPDIR": self.folder,
            "DBUS_SESSION_BUS_ADDRESS": f"unix:path={self.folder}/bus",
        }
        database, log = self.folder + "/items.kdbx", subprocess.DEVNULL
        subprocess.run(["keepassxc-cli", "import", "-p", self.folder + "/items.xml", database], env=self.environment,
                       input=b"passcode\npasscode\n", stdout=log, stderr=log, check=True)
        self.bus = spawn(["dbus-daemon", "--nofork", f"--config-file={self.folder}/bus.conf"], stderr=log)
        wait_until("the bus", lambda: os.path.exists(self.folder + "/bus"))
        self.process = spawn(
            ["keepassxc", "--config", self.folder + "/settings", "--localconfig", self.folder + "/local",
             "--pw-stdin", database], env=self.environment, stdin=subprocess.PIPE, stdout=log, stderr=log)
        self.process.stdin.write(b"passcode\n")
        self.process.stdin.close()
        wait_until("KeePassXC", lambda: subprocess.run(LOOKUP, env=self.environment, stdout=subprocess.PIPE,
                                                       stderr=log).stdout.startswith(b"secret-"))
        self.connect(1)

    def write_items(self):
        def identifier(of):
            return base64.b64encode(of.bytes).decode()

        group = uuid.uuid4()
        with open(self.folder + "/items.xml", "w", encoding="utf-8") as file:
            file.write("<KeePassFile><Meta><CustomData><Item><Key>FDO_SECRETS_EXPOSED_GROUP</Key>"
                       f"<Value>{{{group}}}</Value></Item></CustomData></Meta><Root><Group>"
                       f"<UUID>{identifier(group)}</UUID><Name>Root</Name>")
            for number in range(self.items):
                file.write(f"<Entry><UUID>{identifier(uuid.uuid4())}</UUID>")
                for key, value in [("Title", "a password"), ("UserName", ""), ("URL", ""), ("Notes", ""),
                                   ("Password", f"secret-{number}"), ("service", f"service-{number}"),
                                   ("account", f"account-{number}"), ("xdg:schema", "org.chatelaine.Benchmark")]:
                    file.write(f"<String><Key>{key}</Key><Value>{value}</Value></String>")
                file.write("</Entry>")
            file.write("</Group></Root></KeePassFile>")

    def memory(self):
        return {"keepassxc": self.drivers[0].run("memory", self.items)[0]}

    def stop(self):
        super().stop()
        # To a milder signal it answers with a question.
        self.process.kill()
        self.process.wait()
        self.bus.terminate()
        self.bus.wait()
        shutil.rmtree(self.folder)


class Ours(Site):
    """chatelaine-secrets, with a service or embedded."""

    def __init__(self, kind, items, options):
        super().__init__("ours, " + kind, items, options)
        self.folder = tempfile.mkdtemp()
        for name in ["home", "run"]:
            os.mkdir(f"{self.folder}/{name}", 0o700)
        address = f"unix:path={self.folder}/bus"
        home = self.folder + "/home"
        self.environment = os.environ | {
            "HOME": home, "DBUS_SESSION_BUS_ADDRESS": address, "XDG_RUNTIME_DIR": self.folder + "/run",
            "XDG_DATA_HOME": home + "/data", "XDG_CONFIG_HOME": home + "/config", "XDG_CACHE_HOME": home + "/cache",
        }
        self.daemon = None
        if kind == "embedded":
            self.environment["CHATELAINE_KEYCHAIN"] = f"embedded:{self.folder}/keychain"
        else:
            socket = self.folder + "/keychain.sock"
            self.environment["CHATELAINE_KEYCHAIN"] = "unix:" + socket
            self.daemon = self.start("chatelained", "--session", "--directory", self.folder + "/keychain",
                                     "--socket", socket)
            wait_until("the keychain's service", lambda: os.path.exists(socket))
            subprocess.run([options.programs + "/chatelaine", "passcode", "set", "--stdin"], env=self.environment,
                           input=b"passcode\n", check=True, stdout=subprocess.DEVNULL)
        self.bus = self.run_in_background("dbus-daemon", "--session", "--nofork", "--nopidfile", "--address=" + address)
        wait_until("the bus", lambda: os.path.exists(self.folder + "/bus"))
        self.start_secrets()
        filler = Driver(options.driver, self.environment)
        filler.run("fill", items, items)
        filler.stop()
        # Again, as with a log-in: what only filling needs is in no figure.
        self.secrets.terminate()
        self.secrets.wait()
        begin = time.perf_counter()
        self.start_secrets()
        self.start_seconds = time.perf_counter() - begin
        self.connect(1)

    def run_in_background(self, *command):
        with open(self.folder + "/log", "ab") as log:
            return spawn(command, env=self.environment, stdout=log, stderr=log)

    def start(self, program, *arguments):
        return self.run_in_background(self.options.programs + "/" + program, *arguments)

    def start_secrets(self):
        self.secrets = self.start("chatelaine-secrets", "serve")
        ask = ["dbus-send", "--session", "--print-reply", "--dest=org.freedesktop.DBus", "/",
               "org.freedesktop.DBus.NameHasOwner", "string:org.freedesktop.secrets"]
        wait_until("the Secret Service", lambda: b"true" in subprocess.run(
            ask, env=self.environment, stdout=subprocess.PIPE).stdout)

    def memory(self):
        memory = {"chatelaine-secrets": self.drivers[0].run("memory", self.items)[0]}
        if self.daemon:
            memory["chatelained"] = float("nan")
            try:
                with open(f"/proc/{self.daemon.pid}/smaps_rollup", encoding="ascii") as lines:
                    memory["chatelained"] = next(float(line.split()[1]) for line in lines if line.startswith("Pss:"))
            except OSError:
                pass  # Not root.
        return memory

    def stop(self):
        super().stop()
        for process in [self.secrets, self.bus, self.daemon]:
            if process:
                process.terminate()
                process.wait()
        shutil.rmtree(self.folder)


def quantile(values, fraction):
    values = sorted(values)
    return values[int((len(values) - 1) * fraction)]


def median(values):
    return quantile(values, 0.5) if values else float("nan")


def table(*rows):
    for number, row in enumerate(rows):
        print("| " + " | ".join(row) + " |")
        if number == 0:
            print("|" + "---|" * len(row))
    print(flush=True)


class Comparison:
    """What each site takes for an operation. A quotient of two is the median, over the rounds, of the quotients of a
    round's medians."""

    def __init__(self):
        self.times, self.rounds = {}, {}

    def add(self, site, times):
        self.times.setdefault(site, []).extend(times)
        self.rounds.setdefault(site, []).append(median(times))

    def quotient(self, above, below):
        return median([a / b for a, b in zip(self.rounds.get(above, []), self.rounds.get(below, []))])


def in_turns(sites, rounds, body):
    """Calls the body for each site so many times, each time in another order."""
    for number in range(rounds):
        for index in range(len(sites)):
            body(sites[(number + index) % len(sites)])


def measure(sites, operation, items, clients, options):
    is_write = operation in ("add", "update", "delete")
    if is_write:
        sites = [site for site in sites if not isinstance(site, KeePassXC)]
    # A store among many takes the others a second, and that of each client waits for all.
    is_slow = is_write and items > 5000
    rounds = options.rounds if not is_slow else 2 if clients > 1 else max(2, options.rounds // 4)
    comparison = Comparison()

    def body(site):
        runs = 40
        if is_write:
            runs = 10 if isinstance(site, Ours) or not is_slow else 1 if clients > 1 else 2
        drivers = site.drivers[:clients]
        for driver in drivers:
            if operation == "delete":
                driver.run("add", items, runs)
        for driver in drivers:
            driver.begin(operation, items, runs)
        comparison.add(site.name, [time for driver in drivers for time in driver.finish()])
        for driver in drivers:
            if operation == "add":
                driver.run("delete", items, runs)

    in_turns(sites, rounds, body)
    return comparison


def measure_processes(sites, options):
    comparison = Comparison()

    def body(site):
        for name, command in [(site.name, LOOKUP), ("nothing", ["true"])]:
            times = []
            for _ in range(10):
                begin = time.perf_counter()
                outcome = subprocess.run(command, env=site.environment, stdout=subprocess.PIPE)
                times.append((time.perf_counter() - begin) * 1e6)
                if name != "nothing" and not outcome.stdout.startswith(b"secret-"):
                    raise SystemExit("secret-tool did not find the secret")
            comparison.add(name, times)

    in_turns(sites, options.rounds, body)
    return comparison


def report(name, items, clients, sites, comparison):
    row = [name, f"{items:,}", str(clients)]
    for site in sites:
        times = comparison.times.get(site.name)
        row.append(f"{median(times):,.0f} ({quantile(times, 0.9):,.0f})" if times else "–")
    for site in sites:
        if isinstance(site, Ours):
            row.append(f"{comparison.quotient(PEER, site.name):.2f}")
    return row


def run(items, options):
    sites = [Ours(kind, items, options) for kind in options.kinds]
    sites.append(Peer(items, options))
    if options.keepassxc:
        sites.append(KeePassXC(items, options))
    try:
        before = {site.name: site.memory() for site in sites}
        names = [site.name for site in sites]
        rows = [["operation", "items", "clients"] + [f"{name}, p50 (p90) µs" for name in names]
                + [f"{site.name}: times faster" for site in sites if isinstance(site, Ours)]]
        for clients in options.clients:
            for site in sites:
                site.connect(clients)
            for operation in options.operations:
                comparison = measure(sites, operation, items, clients, options)
                rows.append(report(operation, items, clients, sites, comparison))
                print(*rows[-1], sep="  ", file=sys.stderr, flush=True)
        if options.processes:
            rows.append(report("secret-tool lookup", items, 1, sites, measure_processes(sites, options)))
        table(*rows)
        # A search and a ping by turns, for the quotient of the two.
        searches = [["bare-search of ping", "items"] + names]
        comparison = Comparison()

        def body(site):
            for operation in ["ping", "bare-search"]:
                comparison.add((site.name, operation), site.drivers[0].run(operation, items, 40))

        in_turns(sites, options.rounds, body)
        searches.append(["p50", f"{items:,}"] + [
            f"{comparison.quotient((name, 'bare-search'), (name, 'ping')):.2f}" for name in names])
        table(*searches)
        memory = [["memory (PSS), MiB", "items", "after the start", "after all of this"]]
        for site in sites:
            for process, kilobytes in site.memory().items():
                memory.append([f"{process} ({site.name})", f"{items:,}", f"{before[site.name][process] / 1024:.1f}",
                               f"{kilobytes / 1024:.1f}"])
        table(*memory)
        table(["start until the name is taken, s", "items"] + [site.name for site in sites if isinstance(site, Ours)],
              ["", f"{items:,}"] + [f"{site.start_seconds:.2f}" for site in sites if isinstance(site, Ours)])
    finally:
        for site in sites:
            site.stop()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    numbers = lambda text: [int(number) for number in text.split(",")]
    words = lambda text: text.split(",")
    parser.add_argument("--programs", required=True)
    parser.add_argument("--driver", required=True)
    parser.add_argument("--items", type=numbers, default=[10, 1000, 15000])
    parser.add_argument("--clients", type=numbers, default=[1, 4])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--kinds", type=words, default=["session", "embedded"])
    parser.add_argument("--operations", type=words,
                        default=["ping", "bare-search", "bare-get", "get", "search", "add", "update", "delete"])
    parser.add_argument("--keepassxc", action="store_true", help="measure it too")
    parser.add_argument("--no-processes", dest="processes", action="store_false")
    options = parser.parse_args()
    try:
        for items in options.items:
            run(items, options)
    finally:
        for process in processes:
            if process.poll() is None:
                process.kill()


if __name__ == "__main__":
    main()
