import EnclaveInterface
import KeychainEngine
import KeychainModel
import Testing

/// What a failed attempt has the owner asked.
@Suite struct PresenceRoundsTests {
    private static let lacking = KeychainError(
        .interactionNotAllowed,
        "the item's owner has to be asked",
        presence: .needed(PresenceNeed(.owner, items: [GuardedItem(ItemUUID(), in: "program")]))
    )

    /// What the question about an operation fails with; nil where there is one.
    private func refusal(of operation: KeychainOperation) -> KeychainError? {
        let caller = Caller(name: "program", groups: AccessGroups(["program"]))
        var rounds = PresenceRounds(
            operation,
            of: QuestionAsker(caller, isVerified: false),
            in: nil,
            enclave: { () throws(KeychainError) in throw KeychainError(.notAvailable, "no enclave") }
        )
        do throws(KeychainError) {
            _ = try rounds.question(after: Self.lacking)
            return nil
        } catch {
            return error
        }
    }

    @Test func `a search that lacks a proof has a question`() {
        var request = FindRequest(query: ItemQuery(itemClass: .genericPassword))
        #expect(refusal(of: .find(request)) == nil)
        request.authentication.ui = .fail
        #expect(refusal(of: .find(request)) == PresenceFailure.notInteractive.error)
        #expect(refusal(of: .find(request))?.need == nil)
    }

    @Test func `a deletion asks nobody, whatever it lacks, since it brings no answer back`() {
        let request = DeleteRequest(query: ItemQuery(itemClass: .genericPassword))
        #expect(refusal(of: .delete(request))?.need != nil)
    }
}
