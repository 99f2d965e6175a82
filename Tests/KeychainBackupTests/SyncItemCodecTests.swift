import Foundation
import KeychainModel
import KeychainPolicy
import Testing

@testable import KeychainBackup

@Suite("Items as devices share them")
struct SyncItemCodecTests {
    private func item(
        _ itemClass: ItemClass = .genericPassword,
        group: String = "group",
        accessibility: Accessibility = .afterFirstUnlock,
        isSynchronizable: Bool = true,
        modified: Double = 1_000.25,
        _ adjust: (inout AttributeList) -> Void = { _ in }
    ) -> BackupItem {
        var attributes = AttributeList()
        attributes["acct"] = .string("alice")
        attributes["svce"] = .string("service")
        attributes["labl"] = .string("Läbel")
        attributes[.creationDate] = .date(500)
        attributes[.modificationDate] = .date(modified)
        adjust(&attributes)
        return BackupItem(
            itemClass: itemClass,
            uuid: ItemUUID(),
            accessGroup: group,
            accessibility: accessibility,
            accessControl: AccessControl(bare: accessibility),
            isSynchronizable: isSynchronizable,
            attributes: attributes,
            secrets: [.valueData: SecretBytes(Array("hunter2".utf8))]
        )
    }

    private func bytes(_ secret: SecretBytes) -> [UInt8] { secret.withUnsafeBytes { Array($0) } }

    private func hexadecimal(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }

    @Test func `an item comes back with the UUID of its device and the date of its record`() throws {
        let item = item()
        let (uuid, stamp) = (ItemUUID(), SyncItemCodec.stamp(of: item))
        #expect(stamp == 978_308_200_250)
        let again = try #require(SyncItemCodec.decode(SyncItemCodec.encode(item), uuid: uuid, stamp: stamp))
        #expect(again.uuid == uuid && again.attributes == item.attributes && again.accessGroup == item.accessGroup)
        #expect(again.secrets.mapValues(bytes) == item.secrets.mapValues(bytes))
        #expect(again.accessibility == item.accessibility && again.isSynchronizable)
    }

    @Test func `what each device has for itself is not in it, and all else is`() {
        let first = SyncItemCodec.digest(of: item())
        #expect(SyncItemCodec.digest(of: item(modified: 2_000)) == first)
        #expect(SyncItemCodec.digest(of: item { $0["labl"] = .string("other") }) != first)
        #expect(SyncItemCodec.digest(of: item(accessibility: .whenUnlocked)) != first)
        #expect(SyncItemCodec.digest(of: item { $0[.creationDate] = .date(501) }) != first)
    }

    @Test func `the encoding of an item, its digest and what it is named by are these for ever`() {
        let fixed = item()
        #expect(
            hexadecimal(SyncItemCodec.digest(of: fixed))
                == "da6beb8f23866d0e00f54696562cf3118c66c0b9d424b34d58b771236e18e956"
        )
        #expect(
            String(decoding: SyncItemCodec.identity(of: fixed), as: UTF8.self).unicodeScalars.map {
                $0.isASCII && $0.value > 31 ? String($0) : "."
            }.joined() == ".genp....groupvwht....tkid....ggrp....musr....bsvce....bserviceacct....balice"
        )
    }

    @Test func `an encoding that is cut short, longer, or has a modification date is none`() {
        let whole = bytes(SyncItemCodec.encode(item()))
        for length in whole.indices {
            let short = SyncItemCodec.decode(SecretBytes(Array(whole.prefix(length))), uuid: ItemUUID(), stamp: 1)
            // What is left without a secret is an item, too.
            #expect(short == nil || short?.secrets.isEmpty == true, "\(length)")
        }
        #expect(SyncItemCodec.decode(SecretBytes(whole + [0]), uuid: ItemUUID(), stamp: 1) == nil)
        var dated = BackupItemCodec.encode(item())
        dated.removeSubrange(4..<20)
        #expect(SyncItemCodec.decode(SecretBytes(dated), uuid: ItemUUID(), stamp: 1) == nil)
    }

    @Test func `a stamp is never before 1970, and no date is too great for one`() {
        #expect(SyncItemCodec.stamp(of: item(modified: -978_307_200)) == 0)
        #expect(SyncItemCodec.stamp(of: item(modified: -1e300)) == 0)
        #expect(SyncItemCodec.stamp(of: item(modified: 1e300)) == .max)
        #expect(SyncItemCodec.stamp(of: item(modified: .nan)) == 0)
        #expect(SyncItemCodec.stamp(of: item { $0[.modificationDate] = nil }) == 0)
    }

    @Test func `only what is synchronizable, for any device and demands nothing is shared`() {
        func isShared(_ item: BackupItem) -> Bool {
            KeychainPolicy(hasPasscode: true).authorizeSynchronization().shares(
                item.itemClass,
                accessGroup: item.accessGroup,
                isSynchronizable: item.isSynchronizable,
                protection: (item.accessibility, item.accessControl),
                attributes: item.attributes
            )
        }
        #expect(isShared(item()))
        #expect(!isShared(item(isSynchronizable: false)))
        #expect(!isShared(item(accessibility: .whenUnlockedThisDeviceOnly)))
        for key: AttributeKey in [.tokenID, .sharingGroup] {
            #expect(isShared(item { $0[key] = .string("") }))
            #expect(!isShared(item { $0[key] = .string("com.apple.setoken") }))
        }
    }

    /// Pairs of attributes of internet passwords.
    private static let pairs: [(first: [AttributeKey: AttributeValue], second: [AttributeKey: AttributeValue])] = [
        ([:], [:]), (["acct": .string("alice")], ["acct": .data(Array("alice".utf8))]),
        (["acct": .string("")], [:]), (["port": .integer(443)], ["port": .integer(444)]),
        (["port": .integer(443)], ["port": .real(443)]), (["srvr": .string("a")], ["path": .string("a")]),
        (["labl": .string("a")], ["labl": .string("b")]), (["vwht": .string("")], [:]),
        (["vwht": .string("a")], [:]), (["srvr": .string("é")], ["srvr": .string("e\u{301}")]),
        (["ptcl": .integer(1_752_462_448)], [:]),
        (["sdmn": .string("a"), "srvr": .string("b")], ["sdmn": .string("ab")]),
    ]

    @Test(arguments: pairs.indices)
    func `two items have one name if, and only if, a keychain cannot have both`(pair: Int) throws {
        let device = try Device()
        let (first, second) = Self.pairs[pair]
        func add(_ attributes: [AttributeKey: AttributeValue]) throws {
            var request = AddRequest(itemClass: .internetPassword)
            for (key, value) in attributes { request.attributes[key] = value }
            request.isSynchronizable = true
            _ = try device.engine.keychain(of: Device.caller("group")).add(request)
        }
        func identity(_ attributes: [AttributeKey: AttributeValue]) -> [UInt8] {
            var list = AttributeList()
            for (key, value) in attributes { list[key] = value }
            return SyncItemCodec.identity(of: .internetPassword, accessGroup: "group", attributes: list)
        }
        try add(first)
        let isSame = identity(first) == identity(second)
        #expect(code { try add(second) } == (isSame ? .duplicateItem : nil))
        #expect(
            SyncItemCodec.identity(of: .genericPassword, accessGroup: "group", attributes: AttributeList())
                != SyncItemCodec.identity(of: .genericPassword, accessGroup: "other", attributes: AttributeList())
        )
    }
}
