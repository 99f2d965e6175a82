import Crypto
import Foundation
import KeychainModel
import KeychainSync

/// Keys that are made from a number: the same each time.
struct SampleDevice {
    let card: DeviceCard
    private let signing: P256.Signing.PrivateKey

    init(_ number: UInt8, kind: DeviceCard.Kind = .device) throws {
        let secret = Data(repeating: number, count: 32)
        signing = try P256.Signing.PrivateKey(rawRepresentation: secret)
        let sealing = try XWingMLKEM768X25519.PrivateKey(seedRepresentation: secret, publicKey: nil)
        card = try DeviceCard(
            kind: kind,
            signingKey: Array(signing.publicKey.x963Representation),
            sealingKey: Array(sealing.publicKey.rawRepresentation)
        )
    }

    var id: DeviceID { card.id }

    func sign(_ statement: SyncStatement) throws -> [UInt8] {
        Array(try signing.signature(for: statement.digest.bytes).rawRepresentation)
    }
}
