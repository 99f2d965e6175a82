import Foundation
import Glibc
import KeychainSystem
import Testing

@Suite("Folders, names and stamps")
struct FolderTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(arguments: [
        ("/a/b", "/a"), ("/a", "/"), ("/", "/"), ("a", "."), ("a/b/c", "a/b"), ("", "."), ("/a/b/", "/a/b"),
    ])
    func `the folder of a name is what comes before its last slash`(path: String, expected: String) {
        #expect(Folder.path(of: path) == expected)
    }

    @Test func `the names in a folder come in order, and no more than are asked for`() throws {
        for name in ["b", "a", "ä", ".hidden"] { try folder.write("", to: name) }
        let open = try Descriptor(opening: folder.path, O_RDONLY | O_DIRECTORY)
        let names = try Folder.names(in: open, atMost: 10).map { String(decoding: $0, as: UTF8.self) }
        #expect(names == [".hidden", "a", "b", "ä"])
        // The open folder's own place has not moved.
        #expect(try Folder.names(in: open, atMost: 2).count == 2)
    }

    @Test func `a stamp is of the link, or of what it leads to`() throws {
        try folder.write("12345", to: "file")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/link", withDestinationPath: "file")
        let link = try #require(FileStamp.ofFile(folder.path + "/link"))
        #expect(link.isLink && !link.isFile)
        let file = try #require(try FileStamp(path: folder.path + "/link", followingLinks: true))
        #expect(file.isFile && file.size == 5 && file.owner == geteuid() && file.links == 1)
        #expect(try file == FileStamp(path: folder.path + "/file"))
        let open = try Descriptor(opening: folder.path, O_RDONLY | O_DIRECTORY)
        #expect(try file == FileStamp(path: "file", in: open))
        #expect(try file == Descriptor(opening: "file", O_RDONLY, in: open).stamp())
        #expect(!file.isSameFile(as: link))
        #expect(SymbolicLink.target(of: folder.path + "/link") == "file")
    }

    @Test func `what is not there has no stamp, and what may not be looked at is an error`() throws {
        #expect(try FileStamp(path: folder.path + "/missing") == nil)
        try folder.write("", to: "file")
        let error = #expect(throws: SystemError.self) { try FileStamp(path: folder.path + "/file/below") }
        #expect(error?.code == ENOTDIR)
        #expect(FileStamp.ofFile(folder.path + "/file/below") == nil)
        #expect(SymbolicLink.target(of: folder.path + "/file") == nil)
    }

    @Test func `this program knows where it is`() throws {
        let path = try #require(OwnProgram.path)
        #expect(FileManager.default.isExecutableFile(atPath: path))
        #expect(OwnProgram.folder == Folder.path(of: path))
    }
}
