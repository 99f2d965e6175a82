import Foundation
import KeychainSync
import KeychainTestSupport
import SyncTransport
import Testing

@Suite("Changes in a transport's folder")
struct FolderChangesTests: TransportSuite {
    let folder: TransportFolder
    private let moment = Duration.milliseconds(50)

    init() throws { folder = try TransportFolder() }

    private func changes(pause: Duration = .seconds(600)) throws -> FolderChanges {
        let changes = try FolderChanges(in: transport, of: circle, pause: pause)
        while try changes.wait(until: .now + .milliseconds(20)) {}
        return changes
    }

    private func isTold(_ changes: FolderChanges) throws -> Bool { try changes.wait(until: .now + .seconds(20)) }

    @Test func `nothing is told of while nothing changes`() throws {
        try transport.write([1], as: .head(journal), in: circle)
        let changes = try changes()
        #expect(try !changes.wait(until: .now + moment))
        _ = try transport.read(.head(journal), in: circle)
        _ = try transport.list(.entry, in: circle)
        #expect(try !changes.wait(until: .now + moment))
    }

    @Test func `each blob is told of, in folders that were not there, and where it takes another's place`() throws {
        let changes = try changes()
        for name in [
            BlobName.entry(SyncHash(of: [2])), .head(journal), .segment(journal, number: 1, prefix: 7),
            .segment(journal, number: 2, prefix: 7), .join(journal, step: 1),
        ] {
            try transport.write([1], as: name, in: circle)
            #expect(try isTold(changes), "\(name.text)")
            while try changes.wait(until: .now + .milliseconds(20)) {}
        }
        try transport.write([2], as: .head(journal), in: circle)
        #expect(try isTold(changes))
    }

    @Test func `a file that is written where it is, is told of once it is whole`() throws {
        try folder.make("\(place)/head")
        let changes = try changes()
        try folder.write("whole", to: "\(place)/head/\(journal.text)")
        #expect(try isTold(changes))
    }

    @Test func `what comes while a new folder is not watched yet is told of`() throws {
        try folder.make("\(place)/seg")
        let changes = try changes()
        try folder.make("\(place)/seg/\(journal.text)")
        #expect(try isTold(changes))
        // The folder is watched from the next waiting on.
        try folder.write("between", to: "\(place)/seg/\(journal.text)/1-00000007")
        #expect(try isTold(changes))
        #expect(try !changes.wait(until: .now + moment))
        try folder.write("next", to: "\(place)/seg/\(journal.text)/2-00000007")
        #expect(try isTold(changes))
    }

    @Test func `a folder that is taken away and put back is watched anew`() throws {
        try transport.write([1], as: .head(journal), in: circle)
        let changes = try changes()
        let path = folder.path + "/chatelaine"
        try FileManager.default.moveItem(atPath: path, toPath: path + "-aside")
        #expect(try isTold(changes))
        while try changes.wait(until: .now + .milliseconds(20)) {}
        try FileManager.default.moveItem(atPath: path + "-aside", toPath: path)
        #expect(try isTold(changes))
        while try changes.wait(until: .now + .milliseconds(20)) {}
        try transport.write([2], as: .head(journal), in: circle)
        #expect(try isTold(changes))
    }

    @Test func `where the kernel tells nothing the folder is looked at from time to time`() throws {
        let changes = try changes(pause: .milliseconds(40))
        #expect(try isTold(changes))
        #expect(try !changes.wait(until: .now + .milliseconds(5)))
    }

    @Test func `a waiting is ended from another thread`() async throws {
        let changes = try changes()
        let wakeUp = changes.wakeUp
        Thread.detachNewThread { wakeUp.signal() }
        #expect(try isTold(changes))
        #expect(try !changes.wait(until: .now + moment))
    }
}
