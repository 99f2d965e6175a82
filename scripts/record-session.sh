#!/usr/bin/env bash
# Records a session with the command `security` as docs/session.svg: real commands, against a keychain in a temporary
# folder, and what they really printed.
#
#   scripts/record-session.sh [OUTPUT]
set -euo pipefail
source "$(dirname "$0")/common.sh"

readonly output=${1:-docs/session.svg}
scripts/setup.sh

section "Building the command"
swift build "${debug_options[@]}" --product security
programs=$(swift build "${debug_options[@]}" --show-bin-path)

section "Recording"
python3 - "$programs" "$output" <<'PYTHON'
import fcntl
import html
import os
import pty
import re
import select
import struct
import sys
import tempfile
import termios

programs, output = sys.argv[1:]

# Each command, and what is typed where it asks.
SESSION = [
    ("security add-generic-password -s mail -a alice@example.com -w", ["correct horse", "correct horse"]),
    ("security find-generic-password -s mail -w", []),
    ("security add-generic-password -s mail -a alice@example.com -w other", []),
    ("security add-internet-password -s git.example.com -a alice -r htps -w token", []),
    ("security list", []),
    ("security delete-generic-password -s mail > /dev/null", []),
    ("security find-generic-password -s mail -w", []),
]


def run(command, answers, environment):
    """What a person would see at a terminal who runs the command and types the answers."""
    process, terminal = pty.fork()
    if process == 0:
        fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 110, 0, 0))
        os.execvpe("sh", ["sh", "-c", command], environment)
    seen, answers = b"", list(answers)
    while True:
        ready, _, _ = select.select([terminal], [], [], 20)
        if not ready:
            raise SystemExit(f"{command}: no answer for 20 seconds")
        try:
            part = os.read(terminal, 4096)
        except OSError:
            break
        if not part:
            break
        seen += part
        if answers and seen.rstrip(b" ").endswith(b":"):
            os.write(terminal, answers.pop(0).encode() + b"\n")
    os.waitpid(process, 0)
    return seen.decode().replace("\r", "").splitlines()


lines = []
with tempfile.TemporaryDirectory() as folder:
    environment = dict(os.environ, PATH=programs + ":" + os.environ["PATH"])
    environment["CHATELAINE_KEYCHAIN"] = "embedded:" + folder
    for command, answers in SESSION:
        lines.append(("command", command))
        for line in run(command, answers, environment):
            line = re.sub(r"\x1b\[[0-9;]*[A-Za-z]", "", line)
            if line.strip():
                lines.append(("output", line))

LINE, MARGIN, CHARACTER = 19, 16, 7.85
width = int(max(len(text) + 2 for _, text in lines) * CHARACTER) + 2 * MARGIN
height = len(lines) * LINE + 2 * MARGIN
parts = [
    f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    ' role="img" aria-label="A session with the command security">',
    # Browsers collapse blanks in text, whatever xml:space says.
    "<style>text { white-space: pre }</style>",
    f'<rect width="{width}" height="{height}" rx="8" fill="#1d2330"/>',
    '<g font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="13">',
]
for number, (kind, text) in enumerate(lines):
    y = MARGIN + LINE * number + 14
    shown = html.escape(text, quote=False)
    if kind == "command":
        shown = f'<tspan fill="#7fd48c">$</tspan> <tspan fill="#ffffff">{shown}</tspan>'
    parts.append(f'<text x="{MARGIN}" y="{y}" fill="#b9c2d3">{shown}</text>')
parts += ["</g>", "</svg>", ""]
with open(output, "w", encoding="utf-8") as file:
    file.write("\n".join(parts))
print(f"{output}: {len(lines)} lines")
PYTHON
