import Foundation
import FuzzSupport

@testable import CredentialHelpers
@testable import KeychainClient
@testable import KeychainModel

/// What git, docker, cargo and kubectl say to their helper: whatever it is, the answer is one of that program's own
/// protocol. The first byte chooses the program, the second what it wants.
///
/// The keychain stays as earlier inputs have left it, which changes no promise.
@main
enum FuzzCredentials: FuzzTarget {
    private static let keychain = EmbeddedKeychain(
        .memory,
        caller: Caller(name: "fuzz", groups: AccessGroups(["fuzz"]))
    )

    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let program = source.byte() % 4
        let choice = source.byte()
        let input = SecretBytes(source.rest())
        switch program {
        case 0: git(["get", "store", "erase"][Int(choice % 3)], input)
        case 1: docker(["get", "store", "erase"][Int(choice % 3)], input)
        case 2: cargo(input)
        default: kubectl(input)
        }
    }

    private static func git(_ action: String, _ input: SecretBytes) {
        let reply = GitHelper.answer(action, input, from: keychain)
        let output = bytes(reply)
        require(reply.exitStatus == 0 || output.isEmpty, "what is refused says nothing on standard output")
        require(action == "get" || output.isEmpty, "only get says something")
        let names = [
            "username", "password", "password_expiry_utc", "oauth_refresh_token", "capability[]", "authtype",
            "credential",
        ]
        for line in output.split(separator: 0x0A, omittingEmptySubsequences: false).dropLast() {
            require(names.contains { line.starts(with: Array(($0 + "=").utf8)) }, "each line has a name of git's")
            require(!line.contains(0) && !line.contains(0x0D), "no line has a NUL or a carriage return")
        }
    }

    private static func docker(_ action: String, _ input: SecretBytes) {
        let reply = DockerHelper.answer(action, input, from: keychain)
        require(reply.message.isEmpty, "docker hears of errors on standard output")
        guard action == "get", reply.exitStatus == 0 else { return }
        require((try? JSONSerialization.jsonObject(with: Data(bytes(reply)))) != nil, "what is found is JSON")
    }

    private static func cargo(_ input: SecretBytes) {
        let reply = CargoHelper.answer(input, from: keychain) { (_) throws(HelperFailure) in
            throw HelperFailure("nobody")
        }
        let output = bytes(reply)
        require(output.last == 0x0A && output.count { $0 == 0x0A } == 1, "an answer is one line")
        require((try? JSONSerialization.jsonObject(with: Data(output))) != nil, "an answer is JSON")
    }

    private static func kubectl(_ input: SecretBytes) {
        guard (try? KubernetesHelper.set("name", input, in: keychain)) != nil else { return }
        guard let reply = try? KubernetesHelper.get("name", request: nil, from: keychain) else {
            return require(false, "what was stored is found")
        }
        require((try? JSONSerialization.jsonObject(with: Data(bytes(reply)))) != nil, "what is found is JSON")
    }

    private static func bytes(_ reply: HelperReply) -> [UInt8] { reply.output.withUnsafeBytes { Array($0) } }

    static func seeds() throws -> [String: [UInt8]] {
        let registry = #""registry":{"index-url":"sparse+https://a.example/","name":"a"},"args":[]}"#
        let git = "protocol=https\nhost=a.example:443\npath=p\nusername=u\npassword=x\npassword_expiry_utc=1\n\n"
        let pem =
            "-----BEGIN CERTIFICATE-----\nAA\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\nBB\n-----END PRIVATE KEY-----\n"
        return [
            "git-get": [0, 0] + Array("capability[]=authtype\nprotocol=https\nhost=a.example\n".utf8),
            "git-store": [0, 1] + Array(git.utf8),
            "git-store-bearer": [0, 1]
                + Array("protocol=https\nhost=a\nusername=u\nauthtype=Bearer\ncredential=c\n".utf8),
            "git-erase": [0, 2] + Array(git.utf8),
            "docker-get": [1, 0] + Array("https://index.docker.io/v1/\n".utf8),
            "docker-store": [1, 1]
                + Array(
                    #"{"ServerURL":"https://index.docker.io/v1/","Username":"u","Secret":"\u00e9\n\ud83d\ude00"}"#.utf8
                ),
            "docker-erase": [1, 2] + Array("https://index.docker.io/v1/".utf8),
            "cargo-get": [2, 0] + Array((#"{"v":1,"kind":"get","operation":"read","# + registry).utf8),
            "cargo-login": [2, 0] + Array((#"{"v":1,"kind":"login","token":"t","# + registry).utf8),
            "cargo-logout": [2, 0] + Array((#"{"v":1,"kind":"logout","# + registry).utf8),
            "kubectl-token": [3, 0] + Array("token".utf8),
            "kubectl-pem": [3, 0] + Array(pem.utf8),
        ]
    }
}
