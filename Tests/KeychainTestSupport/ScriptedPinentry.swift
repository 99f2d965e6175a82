import Foundation
import Glibc

/// A program that speaks pinentry's protocol and answers what a test says, in the place of a person.
///
/// It waits where the test has said nothing yet.
package final class ScriptedPinentry {
    package enum Answer {
        case secret(String)
        /// The person cancels.
        case no
        /// The person chooses the other way.
        case otherWay
        /// The program ends without a word.
        case dies
        case line(String)

        fileprivate var line: String {
            switch self {
            case .secret(let text): "D \(text)"
            case .no: "ERR 83886179 Operation cancelled <Pinentry>"
            case .otherWay: "ERR 83886194 Not confirmed <Pinentry>"
            case .dies: "die"
            case .line(let text): text
            }
        }
    }

    private let folder: URL
    package var path: String { folder.path + "/pinentry" }

    package init(_ answers: Answer...) throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "pinentry-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        // A service of another user may start it.
        chmod(folder.path, 0o777)
        try writeProgram(Self.script, to: path)
        for name in ["answers", "log"] {
            try Data().write(to: folder.appending(path: name))
            chmod(folder.path + "/" + name, 0o666)
        }
        answer(answers)
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }

    /// Answers the dialogs that come, one after the other.
    package func answer(_ answers: Answer...) { answer(answers) }

    private func answer(_ answers: [Answer]) {
        guard let file = try? FileHandle(forWritingTo: folder.appending(path: "answers")) else { return }
        _ = try? file.seekToEnd()
        try? file.write(contentsOf: Data(answers.map { $0.line + "\n" }.joined().utf8))
    }

    /// What it was told so far: a line each, with `begin` and `end` around each dialog that was answered.
    package var log: [String] {
        let text = (try? String(contentsOf: folder.appending(path: "log"), encoding: .utf8)) ?? ""
        return text.split(separator: "\n").map(String.init)
    }

    /// How many dialogs were opened so far.
    package var dialogs: Int { log.count { $0.hasPrefix("begin") } }

    /// All that was shown, on one line.
    package var shown: String { log.joined(separator: " ").replacingOccurrences(of: "%0A", with: " ") }

    /// Waits until so many dialogs were opened.
    package func waitForDialog(_ count: Int = 1) -> Bool {
        for _ in 0..<2_000 {
            if dialogs >= count { return true }
            usleep(10_000)
        }
        return false
    }

    /// Whether a dialog of it is open now, looked at until none is.
    package func allClose() -> Bool {
        for _ in 0..<1_000 {
            if !isRunning { return true }
            usleep(10_000)
        }
        return false
    }

    package var isRunning: Bool {
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
        return processes.contains { name in
            guard Int(name) != nil,
                let line = FileManager.default.contents(atPath: "/proc/\(name)/cmdline")
            else { return false }
            // Not whoever was told to start it.
            return line.starts(with: Data("/bin/sh\0\(path)\0".utf8))
        }
    }

    private static let script = """
        #!/bin/sh
        folder=${0%/*}
        repeats=
        echo 'OK Pleased to meet you'
        while IFS= read -r line; do
            printf '%s\\n' "$line" >> "$folder/log"
            case $line in
                BYE*) echo 'OK closing connection'; exit 0 ;;
                SETREPEAT*) repeats=1; echo OK ;;
                GETPIN* | CONFIRM* | MESSAGE*)
                    printf 'begin %s\\n' "$$" >> "$folder/log"
                    while [ ! -s "$folder/answers" ]; do sleep 0.02; done
                    answer=$(head -n 1 "$folder/answers")
                    sed -i 1d "$folder/answers"
                    printf 'end %s\\n' "$$" >> "$folder/log"
                    case $answer in
                        die) exit 7 ;;
                        'D '*)
                            if [ -n "$repeats" ]; then echo 'S PIN_REPEATED'; fi
                            printf '%s\\n' "$answer"
                            echo OK
                            ;;
                        *) printf '%s\\n' "$answer" ;;
                    esac
                    ;;
                *) echo OK ;;
            esac
        done
        """
}
