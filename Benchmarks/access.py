#!/usr/bin/env python3
"""Times pages of chatelaine-access over one connection, with many items in the keychain.

    access.py FOLDER-OF-PROGRAMS ITEMS [SECONDS]

The first page is asked for so many seconds after the program has opened its address, 0 unless some are named.
The floor of a page is a file of the same server that needs no keychain: the style sheet.
"""
import http.client
import os
import re
import subprocess
import sys
import tempfile
import time

programs, count = sys.argv[1], int(sys.argv[2])
wait = float(sys.argv[3]) if len(sys.argv) > 3 else 0


def median(times):
    return sorted(times)[len(times) // 2] * 1000


def memory(pid):
    with open(f"/proc/{pid}/status") as status:
        lines = dict(line.split(":", 1) for line in status)
    return int(lines["VmRSS"].split()[0]) / 1024, int(lines["VmHWM"].split()[0]) / 1024


with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, CHATELAINE_KEYCHAIN=f"embedded:{folder}/keychain", HOME=folder)
    with open(f"{folder}/in.csv", "w") as table:
        table.write("Title,URL,Username,Password\n")
        for number in range(count):
            table.write(f"Site {number},https://www{number}.example.org,user{number % 97},password {number}\n")
    subprocess.run([f"{programs}/chatelaine", "import", f"{folder}/in.csv"], env=environment, check=True,
                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = subprocess.Popen([f"{programs}/chatelaine-access", "--no-browser"], env=environment,
                              stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().strip()
        name, path = re.fullmatch(r"http://([^/]*)(/.*)", address).groups()
        connection = http.client.HTTPConnection("127.0.0.1", int(name.split(":")[1]))
        headers = {"Host": name, "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none"}

        def ask(method, path, body=None):
            connection.request(method, path, body, headers)
            answer = connection.getresponse()
            return answer, answer.read().decode()

        answer, _ = ask("GET", path)
        headers["Cookie"] = answer.headers["Set-Cookie"].split(";")[0]
        headers["Sec-Fetch-Site"] = "same-origin"
        # A browser takes longer to start; the program reads the items meanwhile.
        time.sleep(wait)
        start = time.perf_counter()
        answer, page = ask("GET", "/items")
        first = (time.perf_counter() - start) * 1000
        assert answer.status == 200 and f"of {count:,}" in page, (answer.status, page[:300])
        token = re.search(r'name="token" value="([0-9a-f]{64})"', page).group(1)

        def timed(method, path, body=None, times=20):
            taken = []
            for _ in range(times):
                start = time.perf_counter()
                answer, _ = ask(method, path, body)
                taken.append(time.perf_counter() - start)
                assert answer.status in (200, 303), answer.status
            return median(taken)

        floor = timed("GET", "/style.css")
        again = timed("GET", "/items")
        sorts = timed("GET", "/items?sort=modified&order=down")
        headers["Origin"] = f"http://{name}"
        headers["Content-Type"] = "application/x-www-form-urlencoded"
        taken = []
        for number in range(20):
            start = time.perf_counter()
            answer, _ = ask("POST", "/items", f"token={token}&query=www{number * 7}")
            ask("GET", answer.headers["Location"])
            taken.append(time.perf_counter() - start)
        search = median(taken)
        now, most = memory(server.pid)
        print(f"{count} items: the first page {first:.0f} ms; again {again:.1f} ms, {again / floor:.0f} times the style sheet's "
              f"{floor:.2f} ms; sorted {sorts:.1f} ms; a search {search:.1f} ms; memory {now:.0f} MB, at most {most:.0f} MB")
    finally:
        server.terminate()
        server.wait()
