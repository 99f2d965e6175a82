import Foundation
import Glibc
import KeychainSystem
import Testing

@Suite("Files on their way to their names")
struct NewFileTests {
    private let folder: TemporaryFolder
    private let path: String

    init() throws {
        folder = try TemporaryFolder()
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
            #expect(throws: SystemError.self) { try file.commit(replacing: false) }
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
    @Test func `a file with a name of its own meanwhile takes the place of one that was left behind`() throws {
        try folder.write("left behind by a process that was killed", to: "passwords.new")
        let file = try NewFile(beside: path, mode: 0o600, isNamed: true)
        #expect(try folder.names() == ["passwords.new"])
        try file.write(Array("secret".utf8))
        try file.commit(replacing: true)
        #expect(try folder.names() == ["passwords"])
        #expect(try contents() == "secret")
    }

    @Test(arguments: [false, true])
    func `what is given up leaves nothing`(isNamed: Bool) throws {
        do {
            let file = try NewFile(beside: path, mode: 0o600, isNamed: isNamed)
            try file.write([1])
        }
        #expect(try folder.names() == [])
    }

    @Test func `an existing name is told apart from other refusals`() throws {
        try folder.write("old", to: "passwords")
        let error = #expect(throws: SystemError.self) {
            try NewFile(beside: path, mode: 0o600).commit(replacing: false)
        }
        #expect(error?.code == EEXIST)
        #expect(error?.subject == "\(path) is there already")
    }
}
