package import KeychainModel

/// One kind of request to the enclave.
///
/// A type that conforms says everything about its request: the number, who may send it, which thread answers it, its
/// answer, and its body's bytes. The enclave's own code adds one function, which answers it.
package protocol EnclaveRequest: Sendable {
    associatedtype Answer: Sendable

    static var description: RequestDescription<Answer> { get }

    /// Whether answering needs a password's time, a person or hardware. Such a request never runs on the loop's thread.
    var takesTime: Bool { get }

    /// How many item keys it is about, so that the message's memory has room from the start.
    var keyCount: Int { get }

    func write(to writer: inout MessageWriter) throws(KeychainError)

    /// - Throws: `invalidParameter` for anything that is no body of this request.
    init(from reader: inout MessageReader) throws(KeychainError)

    /// Fills in what the reply leaves out because the request already says it: which item lacks something, and what its
    /// access control demands.
    ///
    /// - Returns: `notAvailable` where the reply answers something else.
    func completing(_ result: Result<Answer, KeychainError>) -> Result<Answer, KeychainError>
}

extension EnclaveRequest {
    package static var number: UInt8 { description.number }
    /// Of its answer, in a reply.
    package static var answerNumber: UInt8 { description.answer.number }
    package static var senders: RequestSenders { description.senders }
    package static var thread: RequestThread { description.thread }
    package static var isRepeatable: Bool { description.isRepeatable }

    package var takesTime: Bool { false }

    package var keyCount: Int { 1 }

    package func completing(_ result: Result<Answer, KeychainError>) -> Result<Answer, KeychainError> { result }

    /// - Parameters:
    ///   - id: the reply has the same.
    ///   - uid: whose keychain it is about.
    /// - Throws: `dataTooLarge` for more than a message can hold.
    package func encoded(id: UInt32, uid: UInt32) throws(KeychainError) -> [UInt8] {
        var writer = MessageWriter(kind: Self.number, id: id, uid: uid, keys: keyCount)
        try write(to: &writer)
        return try writer.finish()
    }
}

/// A request without a body.
package protocol BodilessRequest: EnclaveRequest {
    init()
}

extension BodilessRequest {
    package func write(to writer: inout MessageWriter) throws(KeychainError) {}

    package init(from reader: inout MessageReader) throws(KeychainError) { self.init() }
}

/// What is the same for all requests of a kind.
package struct RequestDescription<Answer: Sendable>: Sendable {
    let number: UInt8
    let senders: RequestSenders
    let thread: RequestThread
    let isRepeatable: Bool
    package let answer: AnswerForm<Answer>

    /// - Parameters:
    ///   - number: stands for the request in messages, and never changes.
    ///   - isRepeatable: whether asking once more does no harm where it is not known what became of the first time.
    init(
        _ number: UInt8,
        from senders: RequestSenders,
        on thread: RequestThread,
        isRepeatable: Bool = false,
        answer: AnswerForm<Answer>
    ) {
        self.number = number
        self.senders = senders
        self.thread = thread
        self.isRepeatable = isRepeatable
        self.answer = answer
    }
}

/// The peers that may send a request.
package struct RequestSenders: OptionSet, Sendable {
    package let rawValue: UInt8

    package init(rawValue: UInt8) {
        self.rawValue = rawValue
    }

    /// The keychain service's first connection, which events come over.
    package static let firstConnection = RequestSenders(rawValue: 1)
    /// The connections that the keychain service asks over.
    package static let service = RequestSenders(rawValue: 2)
    /// Owners, and root in their place.
    package static let owner = RequestSenders(rawValue: 4)
    /// The prompter that is trusted to read factors, such as fingers, of all users.
    package static let trustedPrompter = RequestSenders(rawValue: 8)
    /// `chatelaine-identify`, which looks at the keychain service's callers.
    package static let witness = RequestSenders(rawValue: 16)
    /// Root, and no owner.
    package static let root = RequestSenders(rawValue: 32)
}

/// Which of the enclave's threads answers a request.
package enum RequestThread: Sendable, Equatable {
    /// The loop, which touches its own tables and waits for nothing.
    case loop
    /// The one that tries passcodes and passwords.
    ///
    /// - Parameter unlessQuick: the loop answers it where the enclave is open and the request takes no time.
    case passcodes(unlessQuick: Bool = false)
    /// The one that waits for the disk, or for the keychain service.
    case changes(unlessQuick: Bool = false)

    /// Whether the loop may answer a request that takes no time.
    package var mayRunOnLoop: Bool {
        switch self {
        case .loop: true
        case .passcodes(let unlessQuick), .changes(let unlessQuick): unlessQuick
        }
    }
}
