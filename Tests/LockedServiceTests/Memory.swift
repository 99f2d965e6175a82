import Foundation
import Glibc
import KeychainTestSupport

/// What root can read of another process's memory.
enum Memory {
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Which of some bytes are in it. Pages of memfd_secret(2) cannot be read, and are left out.
    static func contains(_ needles: [String: [UInt8]], in process: Int32) throws -> Set<String> {
        try search("/proc/\(process)", for: needles)
    }

    /// Which of some bytes are in a core file that gdb makes of it; nil where there is no gdb.
    static func coreContains(_ needles: [String: [UInt8]], of process: Int32, in folder: String) throws -> Set<String>?
    {
        guard access("/usr/bin/gdb", X_OK) == 0 else { return nil }
        let path = folder + "/core.\(process)"
        let gdb = Process()
        gdb.executableURL = URL(fileURLWithPath: "/usr/bin/gdb")
        // As gcore(1) does it, but without reading what the program's debugger would need, which takes seconds.
        gdb.arguments = [
            "-nx", "-batch", "--readnever", "-iex", "set auto-solib-add off", "-ex", "attach \(process)",
            "-ex", "generate-core-file \(path)",
        ]
        gdb.standardInput = FileHandle.nullDevice
        gdb.standardOutput = FileHandle.nullDevice
        gdb.standardError = FileHandle.nullDevice
        try gdb.runHearingSignals()
        gdb.waitForExit()
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        defer { try? FileManager.default.removeItem(atPath: path) }
        return try search(path, for: needles)
    }

    /// Python looks through hundreds of megabytes in a moment, also where nothing of ours is optimised.
    private static let script = """
        import os, sys
        place, needles = sys.argv[1], [bytes.fromhex(line) for line in sys.argv[2].split()]
        found, size, step, overlap = set(), 0, 1 << 20, max(map(len, needles)) - 1
        nothing = bytes(step + overlap)
        def look(part):
            global size
            size += len(part)
            for start in range(0, len(part), step):
                piece = part[start:start + step + overlap]
                # Most of it was never written to.
                if piece == nothing[:len(piece)]: continue
                found.update(number for number, needle in enumerate(needles) if needle in piece)
        if os.path.isdir(place):
            memory = os.open(place + '/mem', os.O_RDONLY)
            for line in open(place + '/maps'):
                words = line.split()
                if not words[1].startswith('rw') or '[v' in line: continue
                start, end = (int(number, 16) for number in words[0].split('-'))
                try: look(os.pread(memory, end - start, start))
                except OSError: pass
        else:
            look(open(place, 'rb').read())
        print(size, *found)
        """

    private static func search(_ place: String, for needles: [String: [UInt8]]) throws -> Set<String> {
        let names = needles.keys.sorted()
        let hex = names.map { name in
            (needles[name] ?? []).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        }
        let python = Process()
        let output = Pipe()
        python.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        python.arguments = ["python3", "-c", script, place, hex.joined(separator: " ")]
        python.standardOutput = output
        try python.runHearingSignals()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        python.waitForExit()
        let numbers = text.split(whereSeparator: \.isWhitespace).compactMap { Int($0) }
        // All of it cannot be read at once where the process ends meanwhile.
        guard let size = numbers.first, size > 1 << 20 else {
            throw Failure(description: "nothing to be read in \(place)")
        }
        return Set(numbers.dropFirst().compactMap { names.indices.contains($0) ? names[$0] : nil })
    }
}
