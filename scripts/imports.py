#!/usr/bin/env python3
"""Prints how the package's targets use each other, counted in files that import.

General tools do not read Swift's imports. For each floor of Sources: how many of its files import something of each
floor. For each target: its files, and how many of them import which other target. Then the circles of files within a
target, from the largest on: a file uses another one if it has a word that the other one declares at its top level.
Members of extensions are not looked for, so the use of a `Type+Aspect.swift` is not seen.

With --check, it says what goes against the order of the floors, and which circles have more than MOST files, and ends
with 1 if there is any.
"""

import collections
import pathlib
import re
import sys

FLOORS = ["System", "Core", "Devices", "Service", "Facades", "Bridges", "Programs"]
MOST = 5

IMPORT = re.compile(r"^\s*(?:@\S+\s+)*(?:package |public |internal |private )?import (?:\w+ )?(\w+)", re.M)
DECLARATION = re.compile(
    r"^(?:@\S+(?:\([^)]*\))? )*(?:package |public |internal |open )?(?:final |indirect )*"
    r"(?:class|struct|enum|protocol|actor|typealias|func|let|var)\s+(\w+)",
    re.M,
)
WORD = re.compile(r"(?<![\w.])\w+(?!\w|\s*:)|(?<=\.)[A-Z]\w*")


def code(text):
    """The same text without comments and what stands in strings; what is interpolated stays."""
    kept, place = [], 0
    # For each string that is open: what ends it, what interpolates, and how many parentheses are open in the latter.
    strings = []
    while place < len(text):
        rest = text[place:]
        if strings and strings[-1][2] == 0:
            end, interpolation, _ = strings[-1]
            if rest.startswith(end):
                strings.pop()
                place += len(end)
            elif rest.startswith(interpolation):
                strings[-1][2] = 1
                place += len(interpolation)
                kept.append(" ")
            else:
                place += 2 if rest[0] == "\\" and interpolation == "\\(" else 1
            continue
        if start := re.match(r'(#*)("""|")', rest):
            sharps, quotes = start.groups()
            strings.append([quotes + sharps, "\\" + sharps + "(", 0])
            place += len(start[0])
        elif comment := re.match(r"//.*|/\*.*?\*/", rest, re.S if rest.startswith("/*") else 0):
            place += len(comment[0])
        else:
            if strings:
                strings[-1][2] += {"(": 1, ")": -1}.get(rest[0], 0)
            kept.append(rest[0])
            place += 1
    return "".join(kept)


def files_by_target(root):
    """The Swift files of each target: of the lowest folders in Sources that a target can be."""
    targets = collections.defaultdict(list)
    for file in sorted((root / "Sources").rglob("*.swift")):
        parts = file.relative_to(root / "Sources").parts
        depth = 3 if parts[0] == "Bridges" else 2
        targets["/".join(parts[:depth])].append(file)
    return targets


def circles(edges):
    """The strongly connected parts of a graph that have more than one node (Tarjan)."""
    order, low, stack, found = {}, {}, [], []

    def visit(node):
        order[node] = low[node] = len(order)
        stack.append(node)
        for other in edges[node]:
            if other not in order:
                visit(other)
                low[node] = min(low[node], low[other])
            elif other in stack:
                low[node] = min(low[node], order[other])
        if low[node] == order[node]:
            part = []
            while not part or part[-1] != node:
                part.append(stack.pop())
            if len(part) > 1:
                found.append(sorted(part))

    for node in edges:
        if node not in order:
            visit(node)
    return sorted(found, key=len, reverse=True)


def circles_in(files):
    """Circles among the files of one target."""
    texts = {file: code(file.read_text()) for file in files}
    declared = {
        name: file for file in files if file.name != "main.swift" for name in DECLARATION.findall(texts[file])
    }
    edges = {file: {declared[word] for word in WORD.findall(texts[file]) if word in declared} - {file} for file in files}
    return circles(edges)


def table(rows, columns, counts):
    width = max(len(row) for row in rows) + 2
    print(" " * width + "".join(f"{column:>10}" for column in columns))
    for row in rows:
        print(f"{row:<{width}}" + "".join(f"{counts[row, column] or '':>10}" for column in columns))


def main():
    sys.setrecursionlimit(10_000)
    root = pathlib.Path(__file__).resolve().parent.parent
    targets = files_by_target(root)
    floor_of = {target.split("/")[-1]: target.split("/")[0] for target in targets}
    # C has no Swift files.
    for folder in (root / "Sources").glob("*/*"):
        floor_of.setdefault(folder.name, folder.parent.name)

    by_target, by_floor, problems = collections.Counter(), collections.Counter(), []
    for target, files in targets.items():
        name, floor = target.split("/")[-1], target.split("/")[0]
        for file in files:
            imported = {module for module in IMPORT.findall(file.read_text()) if module in floor_of and module != name}
            for module in imported:
                by_target[target, module] += 1
                if FLOORS.index(floor_of[module]) > FLOORS.index(floor):
                    problems.append(f"{file.relative_to(root)} imports {module}, which is a floor above it.")
            for other in {floor_of[module] for module in imported}:
                by_floor[floor, other] += 1

    found = {target: circles_in(files) for target, files in targets.items()}
    for target, parts in found.items():
        for part in parts:
            if len(part) > MOST:
                problems.append(f"{target}: a circle of {len(part)} files: {', '.join(file.stem for file in part)}")

    if "--check" not in sys.argv:
        print("Files that import something of a floor, by their own floor:\n")
        table(FLOORS, FLOORS, by_floor)
        print("\nFiles that import a target, by their own target:")
        for target in sorted(targets, key=lambda target: (FLOORS.index(target.split("/")[0]), target)):
            used = sorted((-count, module) for (own, module), count in by_target.items() if own == target)
            print(f"\n{target} ({len(targets[target])} files)")
            if used:
                print("    " + ", ".join(f"{module} {-count}" for count, module in used))
            for part in found[target]:
                print(f"    circle of {len(part)}: {', '.join(file.stem for file in part)}")
        print()
    for problem in problems:
        print(problem)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
