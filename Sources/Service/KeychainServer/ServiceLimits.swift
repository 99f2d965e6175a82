/// How much the service does for each user, so that no user can take it away from the others.
///
/// All that is counted for a user is counted for the uid, whichever programs they are. docs/service.md explains the
/// numbers.
package struct ServiceLimits: Sendable {
    // MARK: Connections

    package var connections = 4096
    package var connectionsOfUser = 256
    /// Connections whose caller is not known yet.
    package var handshakes = 256
    package var handshakesOfUser = 64
    /// Of all users together whom neither the system nor the service knows.
    package var connectionsOfStrangers = 512
    package var handshakesOfStrangers = 32

    // MARK: Work

    /// Searches of one user at the same time; more wait.
    package var searchesOfUser = 8
    /// The stored bytes that the answer to a batch may be made of, and that to a search for identities.
    package var answerSize = 32 << 20
    /// The stored bytes that a search or a batch may read at any time, of which a user has few at once.
    package var smallAnswer = 256 << 10
    /// The stored bytes of which a search's answer is sent as a whole. A longer one is sent in pages of so much.
    package var pageSize = 4 << 20
    /// A frame of more bytes waits for memory before the rest of it is read.
    package var smallFrame = 16 << 10

    /// Of a backup that is given back, in bytes. It is kept on the disk, encrypted, until it is restored.
    package var backupSize: UInt64 = 8 << 30

    // MARK: The record

    /// Whether a full record drops its oldest lines, whosesoever they are. Only tests have it so.
    package var uncheckedRecordHasNoShares = false

    // MARK: Time

    /// From the first byte of a frame to its last.
    package var frameTime: Duration = .seconds(10)
    /// How long a request waits for its turn, and for another process that writes.
    package var patience: Duration = .seconds(10)
    /// From the first byte of an answer to its last: a client has to read.
    package var answerTime: Duration = .seconds(20)
    /// The same for an answer that takes memory for which others may wait.
    package var largeAnswerTime: Duration = .seconds(5)
    /// How long a program that carries blobs may take for each of them, and a round in all.
    package var carrierTime: Duration = .seconds(60)
    package var roundTime: Duration = .seconds(900)
    /// As much more for each page.
    package var pageTime: Duration = .seconds(1)
    /// How long requests under way may go on after the service was told to stop.
    package var stopTime: Duration = .seconds(10)

    // MARK: Memory

    /// In bytes, for messages that are read and carried out at the same time, of all and of one user. One of the
    /// largest size fits into the share of a user.
    package var frameMemory = 112 << 20
    package var frameMemoryOfUser = 96 << 20
    /// For the fields of messages that have very many.
    package var fieldMemory = 64 << 20
    /// For rows that are read, and answers made of them. The largest answer fits into the share of a user.
    package var answerMemory = 192 << 20
    package var answerMemoryOfUser = 152 << 20
    /// For what rounds of synchronization read, of all and of one user at a time.
    package var roundMemory = 128 << 20
    package var roundMemoryOfUser = 64 << 20
    /// Of a connection's thread, in bytes.
    package var stackSize = 512 << 10
    /// Keychains that stay open while none of their users is connected.
    package var idleKeychains = 16

    package init() {}

    /// The same without limits of memory. Only tests use it.
    package var uncheckedWithoutBudgets: ServiceLimits {
        var limits = self
        let all = 1 << 40
        (limits.frameMemory, limits.frameMemoryOfUser, limits.fieldMemory) = (all, all, all)
        (limits.answerMemory, limits.answerMemoryOfUser, limits.pageSize) = (all, all, all)
        (limits.roundMemory, limits.roundMemoryOfUser) = (all, all)
        return limits
    }

    /// Takes as many connections as a process with so many descriptors can have beside its keychains.
    package mutating func fit(descriptors: Int) {
        let forKeychains = min(descriptors / 2, 1024)
        // Those that have given their place up are there for a moment more, as many as there are handshakes.
        let places = (descriptors - forKeychains) / Self.descriptorsOfConnection
        handshakes = max(4, min(handshakes, places / 2))
        connections = max(8, min(connections, places - handshakes))
        handshakesOfStrangers = max(1, min(handshakesOfStrangers, handshakes / 8))
        connectionsOfStrangers = max(1, min(connectionsOfStrangers, connections / 8))
    }

    /// The socket, the process and its folder, and the program for as long as it is looked at, with one to spare.
    private static let descriptorsOfConnection = 5
}
