package import KeychainCircles
package import KeychainModel
import KeychainProtocol
package import KeychainSync

extension ServiceConnection: CircleService {
    package func answer(_ request: CircleRequest) throws(KeychainError) -> CircleAnswer {
        var answer: CircleAnswer?
        var versions: [EarlierVersion] = []
        var request = request
        request.view?.tellTerminal()
        for part in try parts(.circle(request), context: request.view?.context as? ServiceContext) {
            switch part {
            case .circle(.versions(let some)):
                versions += some
                answer = .versions(versions)
            case .circle(let whole): answer = whole
            case .outcome(.failure(let error)): throw error
            default: throw Self.unexpected
            }
        }
        guard let answer else { throw Self.unexpected }
        return answer
    }

    /// The service does the round, and asks this process for what the transport has.
    package func synchronize(over transport: some SyncTransport, ifAt place: String?) throws(KeychainError)
        -> SyncReport
    {
        var report: SyncReport?
        try onChannel { (channel) throws(Channel.Failure) in
            let request = Request.synchronize(takesSeveral: transport.takesSeveral, ifAt: place)
            try channel.exchange(request, by: deadline) {
                (part) throws(KeychainError) in
                switch part {
                case .question(let question):
                    try channel.send(question.answer(over: transport).fitting, by: deadline())
                case .round(let done): report = done
                case .outcome(.failure(let error)): throw error
                default: throw Self.unexpected
                }
            }
        }
        guard let report else { throw Self.unexpected }
        return report
    }

    /// Hands on changes of synchronizable items, without saying which, of the circle, and of the lock state, over a connection of its own.
    package func watchCircle(_ body: (KeychainEvent) throws(KeychainError) -> Bool) throws(KeychainError) {
        try pool.newChannel().watch(ofCircle: true, body)
    }
}

extension TransportReply {
    private static let mostNames = 150_000

    /// No more names than a service takes at once.
    fileprivate var fitting: TransportReply {
        guard case .names(let names) = self, names.count > Self.mostNames else { return self }
        return .names(Array(names.prefix(Self.mostNames)))
    }
}
