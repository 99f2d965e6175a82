import Foundation
import KeychainModel
import Testing

@testable import CodeSignature

/// In memory, where every kernel makes files without names.
private final class MemoryFolder {
    let path = "/dev/shm/chatelaine-test-\(UUID().uuidString)"

    init() throws {
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false)
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    func names() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: path).sorted() }
}

@Suite("Files on their way to their names")
struct NewFileTests {
    private let folder: MemoryFolder
    private let path: String

    init() throws {
        folder = try MemoryFolder()
        path = folder.path + "/passwords"
    }

    private func contents() throws -> String { try String(contentsOfFile: path, encoding: .utf8) }

    @Test(arguments: [false, true])
    func `until all is written there is nothing that a killed process could leave`(replaces: Bool) throws {
        let file = try NewFile(beside: path, mode: 0o600)
        try file.write(Array("secret".utf8))
        #expect(try folder.names() == [])
        try file.commit(replacing: replaces)
        #expect(try folder.names() == ["passwords"])
        #expect(try contents() == "secret")
    }

    @Test func `what is there is replaced at once, or not at all`() throws {
        try Data("old".utf8).write(to: URL(filePath: path))
        do {
            let file = try NewFile(beside: path, mode: 0o600)
            try file.write(Array("new".utf8))
            #expect(throws: KeychainError.self) { try file.commit(replacing: false) }
            #expect(try contents() == "old")
        }
        let file = try NewFile(beside: path, mode: 0o640)
        try file.write(Array("new".utf8))
        try file.commit(replacing: true)
        #expect(try contents() == "new")
        #expect(try folder.names() == ["passwords"])
        let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        #expect(mode == 0o640)
    }
}
