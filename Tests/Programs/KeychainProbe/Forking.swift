import CProbe
import Foundation
import KeychainModel
import KeychainStore
import Security
import Synchronization

/// Programs that fork and go on using the keychain on both sides. Each prints `fine`, or what went wrong.
enum Forking {
    private static let stop = Atomic<Bool>(false)

    static func run(_ scenario: String) {
        switch scenario {
        case "idle": idle()
        case "readers":
            _ = Items.find("known")
            readers(forks: 60)
        case "first-calls": readers(forks: 2)
        case "nested": nested()
        case "memory": memory()
        case "hanging": hanging(nested: false)
        case "hanging-nested": hanging(nested: true)
        case "hanging-opening": hanging(nested: true, opening: true)
        case "descriptors": descriptors()
        case "delete": delete()
        default: print(line: "unknown scenario")
        }
    }

    /// Runs code in a child, which must not return from here.
    private static func child(_ body: () -> Bool) -> Int32 {
        let identifier = cprobe_fork()
        guard identifier == 0 else { return identifier }
        _exit(body() ? 0 : 1)
    }

    /// Waits for a child, and kills one that hangs.
    private static func outcome(of child: Int32, patience: Double = 30) -> String {
        let end = Date() + patience
        var status: Int32 = 0
        while Date() < end {
            let result = waitpid(child, &status, WNOHANG)
            if result == child { return status == 0 ? "fine" : "a child failed with \(status)" }
            usleep(1000)
        }
        kill(child, SIGKILL)
        waitpid(child, &status, 0)
        return "a child hung"
    }

    private static func isWhole(_ prefix: String) -> Bool {
        for index in 0..<20 {
            let account = "\(prefix)-\(index)"
            guard Items.add(account) == errSecSuccess, Items.find(account) == errSecSuccess else { return false }
        }
        return true
    }

    private static func missing(_ prefixes: [String]) -> Int {
        let found = Set(Items.accounts())
        return prefixes.reduce(0) { count, prefix in
            count + (0..<20).count { !found.contains("\(prefix)-\($0)") }
        }
    }

    private static func report(_ outcomes: [String], _ prefixes: [String]) {
        let failures = outcomes.filter { $0 != "fine" }
        let missing = missing(prefixes)
        print(line: failures.isEmpty && missing == 0 ? "fine" : "\(failures) missing \(missing)")
    }

    /// Parent and child write at the same time.
    private static func idle() {
        guard isWhole("before") else { return print(line: "failed before the fork") }
        let other = child { isWhole("child") }
        let isFine = isWhole("parent")
        let outcome = outcome(of: other)
        report([outcome, isFine ? "fine" : "the parent failed"], ["before", "child", "parent"])
    }

    /// Forks again and again while other threads read and write in loops.
    private static func readers(forks: Int) {
        _ = Items.add("known")
        // What this program does by itself is no first time in a thread: the runtime holds locks of its own meanwhile, which
        // a child would have for ever. Nothing that the keychain does can help there.
        _ = Items.findQuery("known")
        let done = DispatchGroup()
        let failures = Mutex<[OSStatus]>([])
        for thread in 0..<6 {
            done.enter()
            Thread.detachNewThread {
                var round = 0
                while !stop.load(ordering: .relaxed) {
                    let status = thread == 0 ? Items.add("thread-\(round)") : Items.find("known")
                    if status != errSecSuccess { failures.withLock { $0.append(status) } }
                    round += 1
                }
                done.leave()
            }
        }
        var outcomes: [String] = []
        for index in 0..<forks {
            let other = child {
                Items.find("known") == errSecSuccess && Items.add("fork-\(index)") == errSecSuccess
            }
            outcomes.append(outcome(of: other))
            if outcomes.last == "a child hung" { break }
        }
        stop.store(true, ordering: .relaxed)
        done.wait()
        let found = Set(Items.accounts())
        let missing = (0..<outcomes.count).count { !found.contains("fork-\($0)") }
        let bad = outcomes.filter { $0 != "fine" } + failures.withLock { $0.map { "a thread got \($0)" } }
        print(line: bad.isEmpty && missing == 0 ? "fine" : "\(bad) missing \(missing)")
    }

    /// A child forks in its turn.
    private static func nested() {
        guard isWhole("before") else { return print(line: "failed before the fork") }
        let first = child {
            guard isWhole("first") else { return false }
            let second = child {
                guard isWhole("second") else { return false }
                return outcome(of: child { isWhole("third") }) == "fine" && isWhole("second-after")
            }
            return isWhole("first-after") && outcome(of: second) == "fine"
        }
        let isFine = isWhole("parent")
        report(
            [outcome(of: first), isFine ? "fine" : "the parent failed"],
            ["before", "first", "second", "third", "second-after", "first-after", "parent"]
        )
    }

    /// In memory, the child goes on with a copy of its own.
    private static func memory() {
        setenv("CHATELAINE_KEYCHAIN", "memory:", 1)
        guard isWhole("before") else { return print(line: "failed before the fork") }
        let other = child {
            missing(["before"]) == 0 && isWhole("child") && missing(["child"]) == 0
        }
        let isFine = isWhole("parent")
        let outcome = outcome(of: other)
        let isSeparate = Items.find("child-0") == errSecItemNotFound
        report([outcome, isFine ? "fine" : "the parent failed", isSeparate ? "fine" : "shared"], ["before", "parent"])
    }

    /// Forks while a call of another thread waits for a lock that nobody lets go of. Prints what the child gets.
    private static func hanging(nested: Bool, opening: Bool = false) {
        if !opening { _ = Items.add("before") }
        print(line: "ready")
        Holding.waitForRelease()
        Thread.detachNewThread { _ = Items.add("waiting") }
        usleep(200_000)
        let other = child {
            if nested {
                // A child that may not use the keychain can still start other programs.
                let grandchild = child { Items.find("before") == errSecNotAvailable }
                guard outcome(of: grandchild, patience: 15) == "fine" else { return false }
            }
            return Items.find("before") == errSecNotAvailable && Items.add("child") == errSecNotAvailable
        }
        print(line: outcome(of: other, patience: 25))
    }

    /// A child has none of the keychain's files open.
    private static func descriptors() {
        _ = Items.add("before")
        _ = Items.find("before")
        guard !openFiles().isEmpty else { return print(line: "the parent has nothing open: this proves nothing") }
        let other = child { openFiles().isEmpty && isWhole("child") && !openFiles().isEmpty }
        print(line: outcome(of: other))
    }

    private static func openFiles() -> [String] {
        let folder = String(
            ProcessInfo.processInfo.environment["CHATELAINE_KEYCHAIN"]?.dropFirst("embedded:".count) ?? ""
        )
        return (0..<256).compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\($0)")
        }
        .filter { $0.hasPrefix(folder) }
    }

    private static func journalBecomesEmpty() -> Bool {
        let folder = ProcessInfo.processInfo.environment["CHATELAINE_KEYCHAIN"]?.dropFirst("embedded:".count) ?? ""
        var status = stat()
        for attempt in 0..<1000 {
            if stat(folder + "/keychain.db-wal", &status) == 0, status.st_size == 0 { return true }
            // By then, what cleans up has tried several times.
            if attempt == 20 { print(line: "not empty yet") }
            usleep(10_000)
        }
        return false
    }

    /// A child deletes while a reader of another process is under way, and has to clean up when that one is done.
    private static func delete() {
        _ = Items.add("doomed")
        print(line: "ready")
        Holding.waitForRelease()
        let other = child {
            guard Items.delete("doomed") == errSecSuccess else { return false }
            print(line: "deleted")
            return journalBecomesEmpty()
        }
        print(line: outcome(of: other))
    }
}
