import Foundation
import KeychainModel
import Testing

@testable import KeychainClient
@testable import KeychainServiceClient

@Suite("Which keychain")
struct KeychainLocationTests {
    @Test
    func `a folder is taken as it is, and a relative one from the current folder`() throws {
        #expect(try KeychainLocation("embedded:/tmp/a b") == .embedded(directory: "/tmp/a b"))
        let current = FileManager.default.currentDirectoryPath
        #expect(try KeychainLocation("embedded:keys") == .embedded(directory: current + "/keys"))
    }

    @Test
    func `a keychain in memory is asked for by name`() throws {
        #expect(try KeychainLocation("memory:") == .memory)
    }

    @Test(arguments: ["", "embedded", "embedded:", "memory", "unix:", "file:/tmp/x", " memory:"])
    func `a value that names no keychain is refused, and never means the person's own`(text: String) {
        #expect(throws: KeychainError(.notAvailable, "")) {
            try KeychainLocation(text)
        }
    }

    @Test
    func `a socket is taken by its path`() throws {
        let current = FileManager.default.currentDirectoryPath
        #expect(try KeychainLocation("unix:/run/x") == .service(ServiceAddress(path: "/run/x", kind: .session)))
        #expect(try KeychainLocation("unix:x") == .service(ServiceAddress(path: current + "/x", kind: .session)))
    }

    /// A machine of the test's own.
    private final class Machine {
        let folder = FileManager.default.temporaryDirectory.path + "/machine-\(UUID().uuidString)"
        var places: WellKnownPlaces {
            WellKnownPlaces(systemFolder: folder + "/chatelaine", runtimeFolder: folder + "/user", uid: 1000)
        }
        var system: KeychainLocation {
            .service(ServiceAddress(path: folder + "/chatelaine/keychain.sock", kind: .system))
        }
        var session: KeychainLocation {
            .service(ServiceAddress(path: folder + "/user/1000/chatelaine/keychain.sock", kind: .session))
        }

        func make(_ path: String) throws {
            let path = folder + "/" + path
            let parent = path.hasSuffix("/") ? path : (path as NSString).deletingLastPathComponent
            try FileManager.default.createDirectory(atPath: parent, withIntermediateDirectories: true)
            if !path.hasSuffix("/") { try Data().write(to: URL(fileURLWithPath: path)) }
        }

        func choice(isSigned: Bool, isSecure: Bool = false, _ variables: [String: String] = [:]) throws
            -> KeychainLocation
        {
            try KeychainLocation.choose(isSigned: isSigned, isSecure: isSecure, places: places) { variables[$0] }
        }

        deinit {
            try? FileManager.default.removeItem(atPath: folder)
        }
    }

    @Test
    func `a program without a signature goes where it is told, else to a socket that is there, else to its folder`()
        throws
    {
        let machine = Machine()
        let home = ["XDG_DATA_HOME": "/data"]
        #expect(try machine.choice(isSigned: false, home) == .embedded(directory: "/data/chatelaine/keychain"))
        try machine.make("user/1000/chatelaine/keychain.sock")
        #expect(try machine.choice(isSigned: false, home) == machine.session)
        try machine.make("chatelaine/")
        #expect(try machine.choice(isSigned: false, home) == machine.session)
        try machine.make("chatelaine/keychain.sock")
        #expect(try machine.choice(isSigned: false, home) == machine.system)
        #expect(try machine.choice(isSigned: false, ["CHATELAINE_KEYCHAIN": "memory:"]) == .memory)
        #expect(throws: KeychainError(.notAvailable, "")) {
            try machine.choice(isSigned: false, ["CHATELAINE_KEYCHAIN": "elsewhere"])
        }
    }

    @Test
    func `the session's socket is where XDG_RUNTIME_DIR says`() throws {
        let machine = Machine()
        try machine.make("elsewhere/chatelaine/keychain.sock")
        let path = machine.folder + "/elsewhere"
        #expect(
            try machine.choice(isSigned: false, ["XDG_RUNTIME_DIR": path])
                == .service(ServiceAddress(path: path + "/chatelaine/keychain.sock", kind: .session))
        )
    }

    @Test
    func `a signed program asks no environment and never goes to a folder of its own`() throws {
        let machine = Machine()
        let lures = [
            "CHATELAINE_KEYCHAIN": "memory:", "XDG_RUNTIME_DIR": machine.folder + "/elsewhere",
            "XDG_DATA_HOME": "/data",
        ]
        try machine.make("elsewhere/chatelaine/keychain.sock")
        #expect(try machine.choice(isSigned: true, lures) == machine.session)
        #expect(try machine.choice(isSigned: true, isSecure: true, lures) == machine.system)
        try machine.make("user/1000/chatelaine/keychain.sock")
        try machine.make("chatelaine/")
        #expect(try machine.choice(isSigned: true, lures) == machine.system)
    }
}
