package import KeychainModel

/// What the enclave tells the keychain service in the middle of a change.
package struct EnclaveEvent: Sendable, Equatable {
    /// For the acknowledgement.
    package let id: UInt32
    package let uid: UInt32
    package let state: EnclaveState

    package init(id: UInt32, uid: UInt32, state: EnclaveState) {
        self.id = id
        self.uid = uid
        self.state = state
    }

    package func encoded() throws(KeychainError) -> [UInt8] {
        var writer = MessageWriter(kind: stateChangedKind, id: id, uid: uid)
        writer.append(state)
        return try writer.finish()
    }

    /// - Throws: `invalidParameter` for anything that is no event.
    package init(_ bytes: some Collection<UInt8>) throws(KeychainError) {
        var reader = try MessageReader(bytes)
        let header = try reader.header()
        guard header.kind == stateChangedKind else { throw MessageReader.malformed }
        id = header.id
        uid = header.uid
        state = try reader.state()
        try reader.finish()
    }
}
