import Foundation

/// What a key signs: that its person wants to log in there, under that name, now.
struct LoginStatement {
    let origin: Origin
    let user: UserName
    let challenge: Data

    /// How many bytes a challenge has.
    static let challengeSize = 32

    /// The name of the format first, so that it is no statement of any other protocol. Each part has its length before it,
    /// so that no two statements have the same bytes.
    var bytes: Data {
        var bytes = Data("finger-login 1".utf8) + [0]
        for part in [Data(origin.description.utf8), Data(user.description.utf8), challenge] {
            withUnsafeBytes(of: UInt32(part.count).bigEndian) { bytes.append(contentsOf: $0) }
            bytes += part
        }
        return bytes
    }
}
