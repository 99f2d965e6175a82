package import EnclaveInterface
package import KeychainModel
package import KeychainSync

/// A keychain as one of the devices of its owner's circle: in this process, or a service's.
package protocol CircleService: Sendable {
    /// - Throws: `itemNotFound` where the keychain belongs to no circle, and what the request says.
    func answer(_ request: CircleRequest) throws(KeychainError) -> CircleAnswer

    /// Says what is new here, and takes what is new elsewhere.
    ///
    /// Stopped at any instant, the next round goes on with it.
    ///
    /// - Parameter place: where the transport is, for who was told so before: nothing is done where the circle has another one by
    ///   now. Nil for any.
    /// - Throws: `itemNotFound` where the keychain belongs to no circle; `interactionNotAllowed` before the first unlock;
    ///   `notAvailable` and `diskFull` for a transport that is, and what the database fails with; `invalidParameter` where the circle's
    ///   transport is elsewhere.
    func synchronize(over transport: some SyncTransport, ifAt place: String?) throws(KeychainError) -> SyncReport
}

extension CircleService {
    package func synchronize(over transport: some SyncTransport) throws(KeychainError) -> SyncReport {
        try synchronize(over: transport, ifAt: nil)
    }
}

/// The requests, each with its answer.
extension CircleService {
    /// - Throws: `itemNotFound` where the keychain belongs to no circle; `interactionNotAllowed` before the first unlock.
    package func status() throws(KeychainError) -> CircleStatus {
        guard case .status(let status) = try answer(.status) else { throw unexpected }
        return status
    }

    /// Notes where the transport is.
    ///
    /// - Parameters:
    ///   - place: of a transport, as `TransportPlace` has it.
    ///   - token: for `synchronize`; it is used up.
    /// - Throws: `itemNotFound` where the keychain belongs to no circle; `invalidParameter` for what is no such place.
    package func place(_ place: String, _ token: AuthorizationToken) throws(KeychainError) {
        try done(.place(place, token))
    }

    /// Says what this device is called. Others hear of it by the next round.
    ///
    /// - Parameters:
    ///   - name: of 1 to 64 characters, without control characters.
    ///   - token: for `synchronize`; it is used up.
    /// - Throws: `invalidParameter` for another name.
    package func rename(_ name: String, _ token: AuthorizationToken) throws(KeychainError) {
        try done(.rename(name, token))
    }

    /// Founds a circle with this device in it.
    ///
    /// - Throws: `noPermission` where the owner has not allowed it; `duplicateItem` where the keychain belongs to one.
    package func found() throws(KeychainError) -> CircleID {
        guard let id = SyncHash(try bytes(.found)) else { throw unexpected }
        return id
    }

    /// Begins the ceremony in which a member adds this device.
    ///
    /// - Returns: the first message, for a member.
    /// - Throws: `duplicateItem` where the keychain belongs to a circle, or a ceremony is under way.
    package func requestToJoin() throws(KeychainError) -> JoinRequest {
        try message(.begin) { (bytes) throws(SyncRefusal) in try JoinRequest(bytes) }
    }

    /// Takes a member's answer. The enclave has digits to show after that, and waits for others.
    ///
    /// - Returns: the next message, for the member.
    package func take(_ answer: JoinAnswer) throws(KeychainError) -> JoinReveal {
        try message(.takeAnswer(answer)) { (bytes) throws(SyncRefusal) in try JoinReveal(bytes) }
    }

    /// Joins the circle that the owner has consented to by typing digits. From then on rounds read it.
    ///
    /// - Parameters:
    ///   - answer: that was taken.
    ///   - founding: the circle's first entry, as a transport has it.
    /// - Returns: the last message, for the member.
    /// - Throws: `itemNotFound` before the owner has typed the digits; `notAvailable` for another circle's entry.
    package func join(_ answer: JoinAnswer, founding: Entry) throws(KeychainError) -> JoinConsent {
        try message(.join(answer, founding: founding)) { (bytes) throws(SyncRefusal) in try JoinConsent(bytes) }
    }

    /// Answers a device that asks to be added. One at a time.
    ///
    /// - Returns: the answer, for the newcomer.
    package func answer(_ request: JoinRequest) throws(KeychainError) -> JoinAnswer {
        try message(.answer(request)) { (bytes) throws(SyncRefusal) in try JoinAnswer(bytes) }
    }

    /// Takes what the newcomer reveals. The enclave waits for the newcomer's digits after that.
    package func take(_ reveal: JoinReveal) throws(KeychainError) { try done(.takeReveal(reveal)) }

    /// Adds the newcomer, once the owner has typed the digits on both devices. Others hear of it by the next round.
    package func add(_ card: DeviceCard, _ consent: JoinConsent) throws(KeychainError) {
        try done(.add(card, consent))
    }

    /// Adds a recovery key that the owner has allowed.
    ///
    /// - Parameter consent: the key's signature (`RecoveryKey.consent`).
    package func add(_ key: DeviceCard, consent: [UInt8]) throws(KeychainError) {
        try done(.addRecoveryKey(key, consent: consent))
    }

    /// Removes a device or a recovery key, for good; this device too. The owner has allowed it.
    ///
    /// Others hear of it by the next round.
    package func remove(_ device: DeviceID) throws(KeychainError) { try done(.remove(device)) }

    /// Takes the circle as it is here, although a device once read newer journals: the owner has decided that these are lost.
    ///
    /// - Parameter token: for `synchronize`; it is used up.
    package func acceptOlder(_ token: AuthorizationToken) throws(KeychainError) { try done(.acceptOlder(token)) }

    /// Forgets the circle. All items stay, and are this keychain's alone from then on. The owner has let the enclave forget
    /// it.
    ///
    /// - Parameter token: for `synchronize`; it is used up.
    package func forget(_ token: AuthorizationToken) throws(KeychainError) { try done(.forget(token)) }

    /// Earlier versions of shared items, the newest first.
    ///
    /// - Parameters:
    ///   - leave: they are of all access groups.
    ///   - text: in the title; nil for all.
    /// - Throws: `interactionNotAllowed` while the class of one is locked.
    package func earlierVersions(
        _ leave: OwnersLeave,
        matching text: String? = nil
    ) throws(KeychainError) -> [EarlierVersion] {
        guard case .versions(let versions) = try answer(.versions(leave, matching: text)) else { throw unexpected }
        return versions
    }

    /// Makes an earlier version the item's current one, on all devices. What it replaces is an earlier version then.
    ///
    /// - Returns: its title.
    /// - Throws: `itemNotFound` where it is kept no more; `undecodable` where it is damaged; `interactionNotAllowed` while it is
    ///   locked.
    package func bringBack(_ number: Int64, _ leave: OwnersLeave) throws(KeychainError) -> String {
        guard case .title(let title) = try answer(.bringBack(number, leave)) else { throw unexpected }
        return title
    }

    /// Deletes an earlier version for good; of an item that is not there any more, all of them. Other devices keep what they have.
    ///
    /// - Returns: the title of its item.
    /// - Throws: `itemNotFound` where it is kept no more; `undecodable` where it is damaged; `interactionNotAllowed` while it is
    ///   locked.
    package func discard(_ number: Int64, _ leave: OwnersLeave) throws(KeychainError) -> String {
        guard case .title(let title) = try answer(.discard(number, leave)) else { throw unexpected }
        return title
    }

    // MARK: - Answers

    private func done(_ request: CircleRequest) throws(KeychainError) {
        guard case .done = try answer(request) else { throw unexpected }
    }

    private func bytes(_ request: CircleRequest) throws(KeychainError) -> [UInt8] {
        guard case .bytes(let bytes) = try answer(request) else { throw unexpected }
        return bytes
    }

    private func message<Message>(
        _ request: CircleRequest,
        _ read: ([UInt8]) throws(SyncRefusal) -> Message
    ) throws(KeychainError) -> Message {
        let bytes = try bytes(request)
        return try CircleFailure.translating { try read(bytes) }
    }

    private var unexpected: KeychainError { OperationResult.unexpected }
}
