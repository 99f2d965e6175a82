import Foundation
import KeychainModel
import KeychainProtocol
import KeychainServer

/// Lets one process play many programs, after all checks: a client that has bound its own socket to the abstract address
/// `chatelaine-test/PATH` gets the groups and the keychain that the file PATH names, as
/// `{"groups": […], "keychain": "NAME"}`. Without a keychain it is the user's; with `"installedName"` the service takes it for
/// an installed program of that name. `"ownGroup"` is the one of the groups that is the program's own.
struct CallersByAddress: Gatekeeper {
    private let gatekeeper: any Gatekeeper

    private struct Part: Decodable {
        let groups: [String]
        let keychain: String?
        let installedName: String?
        let ownGroup: String?
    }

    init(_ gatekeeper: any Gatekeeper) {
        self.gatekeeper = gatekeeper
    }

    func admit(_ socket: Int32) throws(KeychainError) -> AdmittedPeer {
        let peer = try gatekeeper.admit(socket)
        guard let path = Self.path(of: socket) else { return peer }
        guard let data = FileManager.default.contents(atPath: path),
            let part = try? JSONDecoder().decode(Part.self, from: data)
        else { throw KeychainError(.notAvailable, "there is no part to play in \(path)") }
        let name = part.installedName ?? "part"
        return AdmittedPeer(
            uid: peer.uid,
            caller: Caller(name: name, groups: AccessGroups(part.groups), ownGroup: part.ownGroup),
            identity: ServiceIdentity(
                name: name,
                groups: part.groups,
                ownGroup: part.ownGroup,
                kind: part.installedName == nil ? peer.identity.kind : .installed,
                mode: peer.identity.mode,
                deficiencies: peer.identity.deficiencies
            ),
            stream: peer.stream,
            uncheckedKeychain: part.keychain,
            vouch: peer.vouch
        )
    }

    private static func path(of socket: Int32) -> String? {
        var address = sockaddr_un()
        var length = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getpeername(socket, $0, &length) }
        }
        let start = MemoryLayout<sa_family_t>.size
        guard result == 0, Int(length) > start else { return nil }
        let name = withUnsafeBytes(of: address.sun_path) { Array($0.prefix(Int(length) - start)) }
        let prefix = [0] + Array("chatelaine-test".utf8)
        guard name.starts(with: prefix) else { return nil }
        return String(decoding: name.dropFirst(prefix.count), as: UTF8.self)
    }
}
