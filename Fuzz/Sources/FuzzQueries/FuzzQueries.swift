import Foundation
import FuzzSupport
import Logging
import Security

@testable import KeychainClient
@testable import KeychainModel

/// The four calls with dictionaries of anything. An input is a row of calls, each with its dictionaries.
///
/// Every status is a documented one; a result comes with success alone; a call that fails changes nothing; what was added
/// is found by what it was added with, and by what a search returned of it.
@main
enum FuzzQueries: FuzzTarget {
    private static let keychain = EmbeddedKeychain(
        .memory,
        caller: Caller(name: "fuzz", groups: AccessGroups(["fuzz.default", "fuzz.other", "fuzz.wild.*"])),
        log: Logger(label: "fuzz") { _ in SwiftLogNoOpLogHandler() }
    )

    private static let mostCalls = 12

    static func run(_ bytes: [UInt8]) throws {
        try CurrentKeychain.$override.withValue(keychain) {
            try empty()
            var source = DictionarySource(bytes)
            // To look at all that a keychain holds is the most of the work: what it is after a call, it is before the next.
            var image = try KeychainImage(of: keychain)
            for _ in 0..<mostCalls where !source.isAtEnd {
                source.knownReferences = image.live.keys.map(\.bytes).sorted { $0.lexicographicallyPrecedes($1) }
                image =
                    switch source.byte() % 4 {
                    case 0: try add(source.dictionary(), to: image)
                    case 1: try find(source.dictionary(), in: image)
                    case 2: try update(source.dictionary(), source.dictionary(), in: image)
                    default: try delete(source.dictionary(), from: image)
                    }
            }
        }
    }

    private static func empty() throws {
        for itemClass in ItemClass.stored {
            for isTombstone in [false, true] {
                var request = DeleteRequest(query: ItemQuery(itemClass: itemClass))
                request.query.synchronizable = .any
                request.query.findsTombstones = isTombstone
                request.leavesTombstone = false
                _ = try keychain.delete(request)
            }
        }
    }

    // MARK: - The calls

    private static let documented: Set<OSStatus> = [
        errSecSuccess, errSecParam, errSecNoSuchAttr, errSecNoSuchClass, errSecDuplicateItem, errSecItemNotFound,
        errSecMissingEntitlement, errSecAuthFailed, errSecDataTooLarge, errSecUnimplemented,
    ]

    /// What calls about identities return besides: for attributes that do not select any, and for an update by reference.
    private static let documentedForIdentities: Set<OSStatus> = [errSecNotAvailable, -26_276]

    /// What is returned for an item that demands its owner: there is no passcode, no reader of fingers, no prompter.
    private static let unmetDemand: Set<OSStatus> = [
        errSecAuthFailed, errSecInteractionNotAllowed, errSecNotAvailable,
    ]

    private static func isAboutIdentities(_ dictionary: NSDictionary) -> Bool {
        let name = kSecClassIdentity as String
        let reference = dictionary["v_PersistentRef"] as? Data
        return dictionary["class"] as? String == name || reference?.starts(with: name.utf8) ?? false
    }

    /// Makes a call, and checks what holds for all four.
    private static func call(
        _ name: String,
        about dictionary: NSDictionary,
        changes: NSDictionary = [:],
        _ before: KeychainImage,
        _ body: (inout AnyObject?) -> OSStatus
    ) throws -> (status: OSStatus, result: AnyObject?, after: KeychainImage) {
        let untouched = NSObject()
        var result: AnyObject? = untouched
        let status = body(&result)
        let after = try KeychainImage(of: keychain)
        let isGuarded = before.demandsOwner || dictionary["accc"] != nil || changes["accc"] != nil
        let isDocumented =
            documented.contains(status)
            || isAboutIdentities(dictionary) && documentedForIdentities.contains(status)
            || isGuarded && unmetDemand.contains(status)
        require(isDocumented, "\(name) returned \(status), which is not documented for it")
        if status != errSecSuccess {
            require(result === untouched, "\(name) failed with \(status) and wrote a result")
            require(after == before, "\(name) failed with \(status) and changed something")
        }
        return (status, result === untouched ? nil : result, after)
    }

    private static func add(_ dictionary: NSMutableDictionary, to before: KeychainImage) throws -> KeychainImage {
        let (status, _, after) = try call("an add", about: dictionary, before) { SecItemAdd(dictionary, &$0) }
        guard status == errSecSuccess else { return after }
        let new = after.live.filter { before.live[$0.key] == nil }
        if new.isEmpty, dictionary["tomb"] != nil {
            require(after.live == before.live, "the add of a tombstone changes no item")
            return after
        }
        require(new.count == 1 && after.live.count == before.live.count + 1, "an add adds one item")
        require(before.live.allSatisfy { after.live[$0.key] == $0.value }, "an add changes no other item")
        guard let reference = new.first?.key else { return after }

        // With what it was added with, less what the keychain sets and what is no attribute.
        let own = attributes(of: dictionary)
        own.removeObjects(forKeys: ["cdat", "mdat", "sha1"])
        // Where an object was added, it said the class.
        own["class"] = reference.itemClass.rawValue
        require(finds(reference, by: own), "an item is found by the attributes that it was added with: \(own)")
        require(
            SecItemAdd(dictionary, nil) == errSecDuplicateItem,
            "the same item is not added twice"
        )

        // With what a search returns of it.
        let demandsOwner = after.live[reference]?.accessControl.isUnconstrained == false
        let query: NSMutableDictionary = [
            "v_PersistentRef": Data(reference.bytes), "r_Attributes": true, "r_Data": true,
        ]
        if demandsOwner {
            let status = SecItemCopyMatching(query, nil)
            require(
                unmetDemand.contains(status),
                "where nobody can be asked, an item that demands its owner keeps its secret, but this returns \(status)"
            )
            query.removeObject(forKey: "r_Data")
        }
        var found: AnyObject?
        require(SecItemCopyMatching(query, &found) == errSecSuccess, "an item is found by its reference")
        guard let found = found as? NSDictionary else {
            require(false, "a search for attributes returns a dictionary")
            return after
        }
        let back = attributes(of: found)
        back["class"] = reference.itemClass.rawValue
        // An access control that was made with flags, even with none, excludes an accessibility in a query.
        if after.live[reference]?.accessControl.isBare == false { back.removeObject(forKey: "pdmn") }
        require(finds(reference, by: back), "an item is found by the attributes that were returned: \(back)")
        return after
    }

    /// The class and the attributes of a dictionary.
    private static func attributes(of dictionary: NSDictionary) -> NSMutableDictionary {
        let attributes = NSMutableDictionary()
        for (key, value) in dictionary {
            guard let key = key as? String, key.utf16.count == 4 || key == "class" else { continue }
            attributes[key] = value
        }
        return attributes
    }

    private static func finds(_ reference: PersistentReference, by attributes: NSMutableDictionary) -> Bool {
        let query = NSMutableDictionary()
        query.setDictionary(attributes as? [AnyHashable: Any] ?? [:])
        query["m_Limit"] = "m_LimitAll"
        query["r_PersistentRef"] = true
        var found: AnyObject?
        guard SecItemCopyMatching(query, &found) == errSecSuccess, let found = found as? [Data] else { return false }
        return found.contains(Data(reference.bytes))
    }

    private static func find(_ dictionary: NSMutableDictionary, in before: KeychainImage) throws -> KeychainImage {
        let (status, result, after) = try call("a search", about: dictionary, before) {
            SecItemCopyMatching(dictionary, &$0)
        }
        require(after == before, "a search changes nothing")
        guard status == errSecSuccess, let array = result as? NSArray else { return after }
        require(array.count <= before.live.count + before.tombstones.count, "an item is found once")
        return after
    }

    private static func update(
        _ query: NSMutableDictionary,
        _ changes: NSMutableDictionary,
        in before: KeychainImage
    ) throws -> KeychainImage {
        // Only attributes and a value: with anything else, every update would be refused.
        for key in changes.allKeys.compactMap({ $0 as? String }) where key == "class" || key.hasPrefix("r_") {
            changes.removeObject(forKey: key)
        }
        let (status, _, after) = try call("an update", about: query, changes: changes, before) { _ in
            SecItemUpdate(query, changes)
        }
        guard status == errSecSuccess else { return after }
        require(Set(after.live.keys) == Set(before.live.keys), "an update makes and removes no item")
        return after
    }

    private static func delete(_ dictionary: NSMutableDictionary, from before: KeychainImage) throws -> KeychainImage {
        let (status, _, after) = try call("a deletion", about: dictionary, before) { _ in SecItemDelete(dictionary) }
        guard status == errSecSuccess else { return after }
        require(after != before, "a deletion that succeeds deletes something")
        require(after.live.allSatisfy { before.live[$0.key] == $0.value }, "a deletion changes no other item")
        if dictionary["tomb"] == nil, dictionary["m_Limit"] == nil {
            require(SecItemDelete(dictionary) == errSecItemNotFound, "what was deleted is gone")
        }
        return after
    }

    // MARK: - Seeds

    static func seeds() -> [String: [UInt8]] {
        DictionarySource.seeds()
    }
}
