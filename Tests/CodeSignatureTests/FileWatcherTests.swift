import Foundation
import KeychainSystem
import KeychainTestSupport
import Testing

@testable import CodeSignature

struct FileWatcherTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "watched-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// A watched file that something happens to.
    private func watch(_ happening: (_ path: String) throws -> Void) throws -> (watcher: FileWatcher, isWhole: Bool) {
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "file").path
        try Data("1".utf8).write(to: URL(filePath: path))
        let watcher = try #require(FileWatcher())
        let descriptor = open(path, O_RDONLY)
        defer { close(descriptor) }
        let watch = try #require(watcher.watch(descriptor))
        #expect(watch.isWhole)
        try happening(path)
        return (watcher, watch.isWhole)
    }

    private static let changes: [(String, @Sendable (String) throws -> Void)] = [
        (
            "written to",
            { path in
                let file = open(path, O_WRONLY)
                #expect(write(file, "2", 1) == 1)
                close(file)
            }
        ),
        ("cut off", { #expect(truncate($0, 0) == 0) }),
        ("given other rights", { #expect(chmod($0, 0o700) == 0) }),
        ("given other times", { #expect(utimes($0, nil) == 0) }),
        ("removed, though it is still open", { #expect(unlink($0) == 0) }),
        (
            "replaced",
            { path in
                try Data("2".utf8).write(to: URL(filePath: path + ".new"))
                #expect(rename(path + ".new", path) == 0)
            }
        ),
    ]

    @Test(arguments: changes.indices)
    func `a file that is changed is told of`(_ index: Int) throws {
        let (name, change) = Self.changes[index]
        let (watcher, isWhole) = try watch(change)
        #expect(!isWhole, "\(name)")
        #expect(watcher.count == 0)
    }

    @Test func `a file that is only read is whole`() throws {
        let (_, isWhole) = try watch { path in
            let file = open(path, O_RDONLY)
            var byte: UInt8 = 0
            #expect(read(file, &byte, 1) == 1)
            close(file)
        }
        #expect(isWhole)
    }

    @Test func `a change is told to all that watch the file by then, and to nobody who begins after it`() throws {
        var first: FileWatcher.Watch?
        var second: FileWatcher.Watch?
        var third: FileWatcher.Watch?
        let watcher = try #require(FileWatcher())
        _ = try watch { path in
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            first = watcher.watch(descriptor)
            second = watcher.watch(descriptor)
            #expect(watcher.count == 1)
            #expect(chmod(path, 0o700) == 0)
            third = watcher.watch(descriptor)
            #expect([first?.isWhole, second?.isWhole, third?.isWhole] == [false, false, true])
            // The end of the earlier ones does not end it.
            first = nil
            second = nil
            #expect(watcher.count == 1)
            #expect(chmod(path, 0o500) == 0)
            #expect(third?.isWhole == false)
        }
    }

    @Test func `nothing is watched for nobody`() throws {
        let watcher = try #require(FileWatcher())
        _ = try watch { path in
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            for _ in 0..<10 { #expect(watcher.watch(descriptor)?.isWhole == true) }
            #expect(watcher.count == 0)
        }
    }

    @Test func `more changes than the kernel keeps are changes of every file`() throws {
        let limit = try String(contentsOfFile: "/proc/sys/fs/inotify/max_queued_events", encoding: .utf8)
        let most = try #require(Int(limit.trimmingCharacters(in: .whitespacesAndNewlines)))
        let watcher = try #require(FileWatcher())
        let quiet = open("/bin/true", O_RDONLY)
        defer { close(quiet) }
        let untouched = try #require(watcher.watch(quiet))
        _ = try watch { path in
            let descriptor = open(path, O_RDONLY)
            defer { close(descriptor) }
            let watch = try #require(watcher.watch(descriptor))
            // One after the other is told once alone; these alternate.
            for number in 0...(most / 2 + 1) {
                #expect(chmod(path, number % 2 == 0 ? 0o700 : 0o500) == 0)
                #expect(truncate(path, 0) == 0)
            }
            #expect(!watch.isWhole)
        }
        #expect(!untouched.isWhole)
        #expect(watcher.count == 0)
    }

    @Test func `threads that watch the same files do not get in each other's way`() throws {
        let watcher = try #require(FileWatcher())
        _ = try watch { path in
            DispatchQueue.concurrentPerform(iterations: 8) { number in
                let descriptor = open(path, O_RDONLY)
                for round in 0..<500 {
                    let watch = watcher.watch(descriptor)
                    if number == 0, round % 7 == 0 { chmod(path, round % 2 == 0 ? 0o700 : 0o500) }
                    _ = watch?.isWhole
                }
                close(descriptor)
            }
        }
        #expect(watcher.count == 0)
    }

    @Test func `what is no file is not watched`() throws {
        let watcher = try #require(FileWatcher())
        #expect(watcher.watch(-1) == nil)
        #expect(watcher.watch(.max) == nil)
        #expect(watcher.count == 0)
    }
}

/// A disk that goes away and whose device another one gets.
@Suite(.enabled(if: isRoot && Loop.isPossible, "needs root, loop devices and mkfs.ext4"))
struct UnmountedFileTests {
    @Test(arguments: [[], ["--lazy"]])
    func `the end of a file system is told of before another one has its device (as root, needs loop devices)`(
        _ options: [String]
    ) throws {
        let loop = try Loop()
        defer { loop.end() }
        try loop.mount()
        let watcher = try #require(FileWatcher())
        let file = open(loop.place + "/lost+found", O_RDONLY | O_DIRECTORY)
        let before = try FileStamp.of(file)
        let watch = try #require(watcher.watch(file))
        close(file)
        #expect(watch.isWhole)
        // Nobody is kept from it.
        try Loop.run(["umount"] + options + [loop.place])
        // After a lazy unmount the device is free some time later. A disk that comes before that gets another one.
        try waitUntil("the next disk has the device of the first") {
            try loop.mount()
            if try FileStamp.of(path: loop.place + "/lost+found") == before { return true }
            try Loop.run(["umount", loop.place])
            return false
        }
        #expect(!watch.isWhole)
    }
}

/// A file system in a file, on a loop device, in this process's mount namespace.
private struct Loop {
    let place: String
    private let image: String

    static let isPossible = (try? run(["sh", "-c", "losetup --find && command -v mkfs.ext4"])) != nil

    init() throws {
        place = FileManager.default.temporaryDirectory.appending(path: "disk-\(UUID().uuidString)").path
        image = place + ".image"
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        try Self.run(["mkfs.ext4", "-q", image, "4M"])
    }

    func mount() throws { try Self.run(["mount", "-o", "loop", image, place]) }

    func end() {
        try? Self.run(["umount", place])
        try? FileManager.default.removeItem(atPath: place)
        try? FileManager.default.removeItem(atPath: image)
    }

    static func run(_ words: [String]) throws {
        struct Failure: Error {
            let words: [String]
        }
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = words
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runHearingSignals()
        process.waitForExit()
        guard process.terminationStatus == 0 else { throw Failure(words: words) }
    }
}
