package import EnclaveInterface
package import KeychainBackup
package import KeychainCircles
package import KeychainModel

/// What a server sends, one a frame (`chatelaine.proto`, docs/protocol.md).
package enum ServerMessage: Sendable {
    /// The first of a connection.
    case hello(Hello)
    /// The connection may be used.
    case welcome(ServiceIdentity)
    /// The connection is over.
    case refusal(KeychainError)
    case response(Response)
    /// Only to a client that watches.
    case event(KeychainEvent)
}

/// What a client sends, one a frame.
package enum ClientMessage: Sendable {
    /// The first of a client, sent with a descriptor.
    case authenticate(Authentication)
    case request(id: UInt64, Request)
}

/// A client's message as it arrived.
package enum ReceivedClientMessage: Sendable {
    case authenticate(Authentication)
    /// A request, or why it is none that can be carried out: then the answer is that error, and the connection goes on.
    case request(id: UInt64, Result<Request, KeychainError>)
}

/// The server's opening of a connection.
package struct Hello: Sendable, Equatable {
    /// 32 random bytes.
    package let nonce: [UInt8]
    package let versions: ClosedRange<UInt32>

    package init(nonce: [UInt8], versions: ClosedRange<UInt32>) {
        self.nonce = nonce
        self.versions = versions
    }
}

/// A client's answer to `Hello`.
package struct Authentication: Sendable, Equatable {
    /// 32 bytes: see `AuthenticationProof`.
    package let proof: [UInt8]
    /// The version that both go on with.
    package let version: UInt32

    package init(proof: [UInt8], version: UInt32) {
        self.proof = proof
        self.version = version
    }
}

/// The identity that the service gives a client.
package struct ServiceIdentity: Sendable, Equatable {
    package enum Kind: Sendable {
        /// Signed by a trusted team, installed by an administrator, and started cleanly.
        case installed
        /// Signed by a trusted team, and not installed or not started cleanly.
        case signed
        case unsigned
    }

    package enum Mode: String, Sendable {
        case session
        case system
    }

    package let name: String
    package let groups: [String]
    /// The one of the groups that is the program's own; nil where the service does not say.
    package let ownGroup: String?
    package let kind: Kind
    package let mode: Mode
    /// Why a signed program is not an installed one, for people to read.
    package let deficiencies: [String]

    package init(
        name: String,
        groups: [String],
        ownGroup: String? = nil,
        kind: Kind,
        mode: Mode,
        deficiencies: [String] = []
    ) {
        self.name = name
        self.groups = groups
        self.ownGroup = ownGroup
        self.kind = kind
        self.mode = mode
        self.deficiencies = deficiencies
    }
}

/// What a client asks for.
package enum Request: Sendable {
    case operation(KeychainOperation)
    /// All in one transaction; one that fails changes nothing and does not keep the others from being done.
    case batch([KeychainOperation])
    /// All in one transaction, and all of them or none; the outcome is a batch's, or the error of the first that fails.
    case transaction([KeychainOperation])
    case identity
    case status
    /// The connection brings nothing but events from then on; the first says how it stands now.
    case watch
    /// The same, of what concerns the keychain's circle, for a program that begins rounds.
    case watchCircle
    /// New keys for all items; the outcome is a count.
    case rotate(AuthorizationToken)
    case backup(BackupRequest)
    case restore(RestoreMessage)
    /// What is proved counts for what uses the connection's context.
    case evaluate(PresenceRequest)
    case presence
    /// As one of the devices of the owner's circle.
    case circle(CircleRequest)
    /// Begins a round. Until its end, the service asks for what the transport has.
    /// - Parameters:
    ///   - takesSeveral: whether it may be asked to write several blobs at once.
    ///   - place: where it is; nil for anywhere.
    case synchronize(takesSeveral: Bool, ifAt: String?)
    /// What the transport has, in a round.
    case carried(TransportReply)
    /// Operations that the caller asks for on behalf of another program. Its name is what the caller says.
    indirect case onBehalf(of: String, Request)
}

/// What holds for a request before it is answered.
package struct RequestTraits: Sendable {
    /// Whether it changes nothing, so that a client that does not know whether it was done may send it again.
    package var isRepeatable = false
    /// Whether it goes through the whole keychain, and gets the memory for that first.
    package var goesThroughAll = false
}

extension Request {
    package var traits: RequestTraits {
        switch self {
        case .operation(let operation): RequestTraits(isRepeatable: operation.traits.isRepeatable)
        case .batch(let operations), .transaction(let operations):
            RequestTraits(isRepeatable: operations.allSatisfy(\.traits.isRepeatable))
        case .identity, .status, .presence, .restore(.origin): RequestTraits(isRepeatable: true)
        case .watch, .watchCircle, .evaluate, .restore(.begin), .restore(.part), .carried: RequestTraits()
        case .circle(let request): request.traits
        // Once more it goes on with what is left.
        case .synchronize: RequestTraits()
        case .rotate, .backup, .restore(.end): RequestTraits(goesThroughAll: true)
        case .onBehalf(_, let request): request.traits
        }
    }
}

extension CircleRequest {
    fileprivate var traits: RequestTraits {
        switch self {
        case .status: RequestTraits(isRepeatable: true)
        // What a token was used for, it cannot be used for once more.
        case .versions, .forget: RequestTraits(goesThroughAll: true)
        default: RequestTraits()
        }
    }
}

/// One of the requests that a restoration is made of.
package enum RestoreMessage: Sendable {
    case begin(RestoreRequest)
    case part([UInt8])
    case end
    /// By itself: whose backups these are.
    case origin(signer: [UInt8])

    /// Of the file, in bytes.
    package static let largestPart = 1 << 20
}

/// What comes of a backup, piece by piece.
package enum BackupPart: Sendable, Equatable {
    case bytes([UInt8])
    case counts(BackupCounts)
}

/// What comes of the requests of a restoration.
package enum RestoreStep: Sendable, Equatable {
    /// So many bytes of the file are there.
    case received(UInt64)
    case report(RestoreReport)
    case origin(BackupOrigin)
}

/// An answer, or a part of one: a long list comes in several.
package struct Response: Sendable {
    package enum Body: Sendable {
        case outcome(OperationOutcome)
        case batch([OperationOutcome])
        case identity(ServiceIdentity)
        case status(ServiceStatus)
        case backup(BackupPart)
        case restore(RestoreStep)
        /// The owner is asked; another response follows.
        case prompting
        case presence(PresenceStatus)
        case circle(CircleAnswer)
        /// What the transport is asked; another response follows.
        case question(TransportQuestion)
        case round(SyncReport)
    }

    /// That of the request.
    package let id: UInt64
    /// Whether more responses to the same request follow.
    package let hasMore: Bool
    package let body: Body

    package init(id: UInt64, hasMore: Bool = false, body: Body) {
        self.id = id
        self.hasMore = hasMore
        self.body = body
    }
}
