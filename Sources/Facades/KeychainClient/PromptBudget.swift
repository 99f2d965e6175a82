package import KeychainModel

/// How often a bridge has the owner asked for its clients. The enclave sees one program behind a bridge, so without this
/// a client that asks and takes back uses up what all programs may ask.
package struct PromptBudget: Sendable {
    /// Prompts in a minute, for one client and for all of them. The enclave allows 30 for all programs together.
    package static let mostOfClient = 8
    package static let mostOfAll = 20
    /// A client whose questions were declined so often is not asked for again until five minutes after the first.
    package static let mostDeclined = 2

    private struct Note {
        let time: ContinuousClock.Instant
        let client: String
    }

    private var begun: [Note] = []
    private var declined: [Note] = []
    /// Whose refusals were told, so that a log has one line a minute for each.
    private var told: [Note] = []
    private static let minute = Duration.seconds(60)

    /// How often the owner may decline for all clients together.
    private let mostDeclinedOfAll: Int

    package init(mostDeclinedOfAll: Int = .max) {
        self.mostDeclinedOfAll = mostDeclinedOfAll
    }

    /// A refusal.
    package struct Refusal: Error, Equatable {
        /// Whether the client was not refused anything in the minute before.
        package let isFirst: Bool

        package var error: KeychainError { PresenceFailure.tooMany.error }
    }

    /// Counts a prompt.
    ///
    /// - Parameter client: whom the bridge asks for, as precisely as the bridge can tell.
    package mutating func take(for client: String, at now: ContinuousClock.Instant) throws(Refusal) {
        begun.removeAll { $0.time.duration(to: now) > Self.minute }
        told.removeAll { $0.time.duration(to: now) > Self.minute }
        declined.removeAll { $0.time.duration(to: now) > Self.minute * 5 }
        guard begun.count < Self.mostOfAll, begun.count(where: { $0.client == client }) < Self.mostOfClient,
            declined.count < mostDeclinedOfAll, declined.count(where: { $0.client == client }) < Self.mostDeclined
        else {
            let isFirst = !told.contains { $0.client == client } && told.count < Self.mostOfAll
            if isFirst { told.append(Note(time: now, client: client)) }
            throw Refusal(isFirst: isFirst)
        }
        begun.append(Note(time: now, client: client))
    }

    /// Counts a prompt that the owner has declined, or that got wrong answers until its end.
    package mutating func decline(for client: String, at now: ContinuousClock.Instant) {
        declined.append(Note(time: now, client: client))
    }
}
