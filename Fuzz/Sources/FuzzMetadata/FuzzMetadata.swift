import Foundation
import FuzzSupport

@testable import KeychainModel
@testable import KeychainVault

/// The attributes of a row, once they are open.
///
/// There is one encoding of a list: what the decoder takes, the encoder gives back byte for byte.
@main
enum FuzzMetadata: FuzzTarget {
    static func run(_ bytes: [UInt8]) {
        guard let list = bytes.withUnsafeBytes({ AttributeCodec.decode($0) }) else { return }
        require(AttributeCodec.encode(list) == bytes, "an encoding that the decoder takes is the only one")
    }

    static func seeds() -> [String: [UInt8]] {
        var password = AttributeList()
        password["acct"] = .string("alice")
        password["svce"] = .string("Gölden 🗝")
        password["gena"] = .data([0, 1, 2, 255])
        password["crtr"] = .integer(-2)
        password["type"] = .real(0.5)
        password["cdat"] = .date(700_000_000.5)
        var long = AttributeList()
        long["icmt"] = .string(String(repeating: "x", count: 300))
        long["labl"] = .data([UInt8](repeating: 7, count: 128))
        var empty = AttributeList()
        empty["acct"] = .string("")
        empty["gena"] = .data([])
        return [
            "nothing": AttributeCodec.encode(AttributeList()), "password": AttributeCodec.encode(password),
            "long": AttributeCodec.encode(long), "empty-values": AttributeCodec.encode(empty),
        ]
    }
}
