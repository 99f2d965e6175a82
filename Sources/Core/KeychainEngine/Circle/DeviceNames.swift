package import EnclaveInterface
import KeychainCircles
package import KeychainModel
import KeychainPolicy
import KeychainSync
import KeychainVault

/// What devices are called: items of an access group that no program has, which travel as all others do. A device can say of
/// itself what it likes.
extension KeychainCircle {
    static let namesGroup = "chatelaine.devices"
    private static let service = "chatelaine device"
    private static let caller = Caller(name: "chatelaine", groups: AccessGroups([namesGroup]))

    private static func query(_ device: DeviceID? = nil) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.synchronizable = .only(true)
        query.filters[.service] = .string(service)
        if let device { query.filters[.account] = .string(device.text) }
        return query
    }

    /// Says what this device is called. Others hear of it by the next round.
    ///
    /// - Parameter token: for `synchronize`; it is used up.
    /// - Throws: `invalidParameter` for a name of no characters or more than 64, or with control characters; `itemNotFound` where the
    ///   keychain belongs to no circle.
    package func rename(_ name: String, _ token: AuthorizationToken) throws(KeychainError) {
        try DeviceName.check(name)
        guard let device = try replica()?.device else { throw CircleFailure.noCircle }
        try engine.policy.requireSynchronization(token, by: engine.vault.enclave)
        var update = UpdateRequest(query: Self.query(device))
        update.changes.attributes[.label] = .string(name)
        if case .count(let count) = try engine.perform(.update(update), for: Self.caller).answer, count > 0 { return }
        var add = AddRequest(itemClass: .genericPassword)
        add.attributes[.service] = .string(Self.service)
        add.attributes[.account] = .string(device.text)
        add.attributes[.label] = .string(name)
        add.accessGroup = Self.namesGroup
        add.accessibility = .afterFirstUnlock
        add.isSynchronizable = true
        _ = try engine.perform(.add(add), for: Self.caller)
    }

    /// What devices are called, by their own word.
    func names() throws(KeychainError) -> [DeviceID: String] {
        var request = FindRequest(query: Self.query())
        // More devices than a circle has say nothing of its members.
        request.limit = .count(256)
        request.returns = .attributes
        guard case .items(let items) = try engine.perform(.find(request), for: Self.caller).answer else { return [:] }
        var names: [DeviceID: String] = [:]
        for item in items {
            guard case .string(let account)? = item.attributes[.account],
                case .string(let name)? = item.attributes[.label],
                let device = SyncHash(text: account)
            else { continue }
            names[device] = name
        }
        return names
    }

    /// Forgets what a device was called, which is gone, or what all were called.
    func forgetNames(of device: DeviceID? = nil) throws(KeychainError) {
        _ = try engine.perform(.delete(DeleteRequest(query: Self.query(device))), for: Self.caller)
    }
}
