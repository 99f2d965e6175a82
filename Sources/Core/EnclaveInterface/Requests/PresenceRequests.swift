package import KeychainModel

// What the owner is asked, on the service's behalf.

/// Has the owner asked. The answer comes once the owner has answered; closing the connection before that withdraws the
/// question.
package struct AskOwnerRequest: EnclaveRequest {
    package static let description = RequestDescription(16, from: .service, on: .loop, answer: .proof)

    package let question: PresenceQuestion

    package init(_ question: PresenceQuestion) {
        self.question = question
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { question = try reader.question() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { try writer.append(question) }
}

package struct ForgetProofRequest: EnclaveRequest {
    package static let description = RequestDescription(
        17,
        from: .service,
        on: .changes(unlessQuick: true),
        isRepeatable: true,
        answer: .nothing
    )

    package let proof: PresenceProof

    package init(_ proof: PresenceProof) {
        self.proof = proof
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { proof = try reader.proof() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { writer.append(proof.bytes) }
}

extension Enclave {
    /// A proof is not needed any more. An enclave that is gone has forgotten it.
    package func forget(_ proof: PresenceProof) { try? answer(ForgetProofRequest(proof)) }
}

/// Makes sure that the owner has agreed to something that the service decides upon by itself, since no key in the enclave
/// depends on it.
package struct RequireProofRequest: EnclaveRequest {
    package static let description = RequestDescription(
        45,
        from: .service,
        on: .changes(unlessQuick: true),
        isRepeatable: true,
        answer: .nothing
    )

    package let scope: PresenceScope
    package var credentials: ItemCredentials

    /// - Parameter scope: single items, or the owner's view.
    package init(_ scope: PresenceScope, _ proofs: [PresenceProof]) {
        self.scope = scope
        credentials = ItemCredentials(proofs: proofs)
    }

    package init(from reader: inout MessageReader) throws(KeychainError) {
        credentials = try reader.credentials()
        scope = try reader.scope()
        guard scope.isSound else { throw MessageReader.malformed }
    }

    package func write(to writer: inout MessageWriter) throws(KeychainError) {
        try writer.append(credentials)
        try writer.append(scope)
    }
}

extension Enclave {
    /// - Throws: `interactionNotAllowed` where these proofs do not say that the owner has agreed; `authenticationFailed`
    ///   where the passcode may be another's than the owner's.
    package func require(_ proofs: [PresenceProof], for scope: PresenceScope) throws(KeychainError) {
        try answer(RequireProofRequest(scope, Array(proofs.suffix(ItemCredentials.mostProofs))))
    }
}

/// By what the owner can prove to be there now.
package struct PresenceStatusRequest: BodilessRequest {
    package static let description = RequestDescription(
        18,
        from: .service,
        on: .changes(),
        isRepeatable: true,
        answer: .presenceStatus
    )

    package init() {}
}

extension Enclave {
    package func presenceStatus() throws(KeychainError) -> PresenceStatus { try answer(PresenceStatusRequest()) }
}

/// Opens a context for a program's groups, which are named in full.
package struct OpenContextRequest: EnclaveRequest {
    package static let description = RequestDescription(26, from: .service, on: .changes(), answer: .context)

    package let groups: [String]

    package init(_ groups: [String]) {
        self.groups = groups
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { groups = try reader.groups() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { try writer.append(groups: groups) }
}

extension Enclave {
    /// Opens a context, in which what is proved opens all items of some access groups.
    ///
    /// It is over after some hours, at each lock, and when there are too many: a question in it then fails with
    /// `itemNotFound`.
    ///
    /// - Parameter groups: at most `PresenceScope.mostGroups`.
    package func openContext(_ groups: [String]) throws(KeychainError) -> PresenceContextID {
        try answer(OpenContextRequest(groups))
    }
}

package struct CloseContextRequest: EnclaveRequest {
    package static let description = RequestDescription(
        27,
        from: .service,
        on: .changes(),
        isRepeatable: true,
        answer: .nothing
    )

    package let context: PresenceContextID

    package init(_ context: PresenceContextID) {
        self.context = context
    }

    package init(from reader: inout MessageReader) throws(KeychainError) { context = try reader.contextID() }

    package func write(to writer: inout MessageWriter) throws(KeychainError) { writer.append(context.bytes) }
}

extension Enclave {
    /// A context is not needed any more, nor what was proved in it.
    package func closeContext(_ id: PresenceContextID) { try? answer(CloseContextRequest(id)) }
}
