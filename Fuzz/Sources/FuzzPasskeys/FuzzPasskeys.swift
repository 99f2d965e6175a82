import FuzzSupport

@testable import KeychainModel
@testable import PasskeyProtocol

/// What programs say to the security key that the keychain is, and the items that passkeys are kept in.
///
/// The first byte chooses what the others are.
@main
enum FuzzPasskeys: FuzzTarget {
    static func run(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        let options = source.byte()
        switch options & 3 {
        case 0: cbor(source.rest())
        case 1: reports(&source)
        case 2: messages(&source, isWilling: options & 4 != 0)
        default: item(&source)
        }
    }

    private static func cbor(_ bytes: [UInt8]) {
        guard let value = try? CBORValue(decoding: bytes) else { return }
        require(value.encoded == bytes, "what is read is written as it was")
    }

    /// Reports with times between them, over the link to an authenticator.
    private static func reports(_ source: inout ByteSource) {
        let keychain = FuzzedKeychain(isWilling: false)
        var authenticator = Authenticator(keychain) { 0 }
        let channels = ChannelNumbers()
        var link = HIDLink { channels.next() }
        var now: UInt64 = 0
        while !source.isAtEnd {
            now += UInt64(source.byte()) * 4
            let head = source.shortBytes()
            let report = Array((head + [UInt8](repeating: 0, count: HIDLink.reportSize)).prefix(HIDLink.reportSize))
            var actions = link.tick(at: now) + link.receive(report, at: now)
            while !actions.isEmpty {
                switch actions.removeFirst() {
                case .send(let report): require(report.count == HIDLink.reportSize, "a report has its size")
                case .perform(let message):
                    let answer = authenticator.answer(message, on: link.performedChannel ?? 0)
                    actions += link.answer(answer, at: now)
                case .cancel, .wink: break
                }
            }
            require(link.channelCount <= 64, "channels have an end")
        }
    }

    /// Whole messages, one after the other, of two clients.
    private static func messages(_ source: inout ByteSource, isWilling: Bool) {
        let keychain = FuzzedKeychain(isWilling: isWilling)
        var authenticator = Authenticator(keychain) { keychain.time }
        while !source.isAtEnd {
            let channel = UInt32(source.byte() & 1)
            keychain.time &+= UInt64(source.byte()) * 256
            let asked = keychain.agreed
            let signed = keychain.signatures
            let answer = authenticator.answer(source.longBytes(), on: channel)
            require(answer.first.flatMap(CTAPStatus.init) != nil, "an answer has a status")
            let map = try? CBORValue(decoding: answer.dropFirst())
            require(answer.count == 1 || map != nil, "what is told is canonical")
            require(isWilling || keychain.signatures == 0, "nothing is signed for who says no")
            require(
                keychain.signatures == signed || asked > 0 || keychain.agreed > asked,
                "nothing is signed before somebody agrees"
            )
        }
    }

    private static func item(_ source: inout ByteSource) {
        let id = source.shortBytes()
        let site = String(decoding: source.shortBytes(), as: UTF8.self)
        let bytes = source.rest()
        if let passkey = PasskeyFormat.passkey(site: site, id: id, description: bytes) {
            let question = PasskeyQuestion.delete(site: passkey.site, user: passkey.user).reason
            require(question.utf8.count <= 260, "a question is one that a prompt shows")
            let again = PasskeyFormat.description(of: passkey)
            require(
                PasskeyFormat.passkey(site: site, id: id, description: again) == passkey,
                "a passkey is read as it was written"
            )
        }
        if let secrets = PasskeyFormat.secrets(SecretBytes(bytes)) {
            require(PasskeyFormat.secrets(PasskeyFormat.value(of: secrets)) != nil, "secrets are read again")
        }
    }

    static func seeds() throws -> [String: [UInt8]] {
        let hash = CBORValue.bytes([UInt8](repeating: 7, count: 32))
        let make: [UInt8] =
            [1]
            + CBORValue.map([
                1: hash, 2: ["id": "a.example"], 3: ["id": .bytes([1]), "name": "ada"],
                4: [["alg": -7, "type": "public-key"]],
                6: ["credProtect": 2, "hmac-secret": true, "credBlob": .bytes([1])],
                7: ["rk": true],
            ]).encoded
        let use: [UInt8] = [2] + CBORValue.map([1: "a.example", 2: hash, 4: ["credBlob": true]]).encoded
        let silent: [UInt8] =
            [2]
            + CBORValue.map([
                1: "a.example", 2: hash, 3: [["id": .bytes([1]), "type": "public-key"]], 5: ["up": false],
            ]).encoded
        let token: [UInt8] =
            [6]
            + CBORValue.map([
                1: 2, 2: 6, 3: [1: 2, 3: -25, -1: 1, -2: hash, -3: hash], 9: 2, 10: "a.example",
            ]).encoded
        let list: [UInt8] = [10] + CBORValue.map([1: 2, 3: 2, 4: hash]).encoded
        let all: [[UInt8]] = [[4], make, use, [8], silent, [6, 0xA2, 1, 2, 2, 2], token, list, [11], [7]]
        let script: [UInt8] = all.flatMap { [0, 1] + $0.withLength }
        var reports: [UInt8] = []
        let first: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF, 0x86, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8]
        for report in [first, [0, 0, 0, 1, 0x90, 0, 1, 4], [0, 0, 0, 1, 0x81, 0, 70, 1], [0, 0, 0, 1, 0, 9]] {
            reports += [1, UInt8(report.count)] + report
        }
        return [
            "cbor": [0] + Array(make.dropFirst()), "reports": [1] + reports, "messages-declined": [2] + script,
            "messages": [6] + script,
            "item": [3, 1, 1, 9] + Array("a.example".utf8) + CBORValue.map([0: 1]).encoded,
        ]
    }
}
