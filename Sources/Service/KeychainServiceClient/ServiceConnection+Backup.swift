import EnclaveClient
package import EnclaveInterface
import Glibc
package import KeychainBackup
package import KeychainModel
import KeychainProtocol

extension ServiceConnection: BackupService {
    package func control() throws(KeychainError) -> any EnclaveControl {
        try RemoteEnclaveControl(
            connectingTo: address.controlSocket,
            uid: geteuid(),
            server: address.enclaveUser
        )
    }

    package func backup(
        _ request: BackupRequest,
        to sink: @escaping BackupSink
    ) throws(KeychainError) -> BackupCounts {
        var counts: BackupCounts?
        try onChannel { (channel) throws(Channel.Failure) in
            try channel.exchange(.backup(request), by: deadline) { (part) throws(KeychainError) in
                switch part {
                case .backup(.bytes(let bytes)): try sink(bytes)
                case .backup(.counts(let said)): counts = said
                case .outcome(.failure(let error)): throw error
                default: throw Self.unexpected
                }
            }
        }
        guard let counts else { throw Self.unexpected }
        return counts
    }

    package func restore(
        _ request: RestoreRequest,
        from file: some BackupFile,
        progress: (UInt64) -> Void
    ) throws(KeychainError) -> RestoreReport {
        let source = try file.source()
        var report: RestoreReport?
        try onChannel { (channel) throws(Channel.Failure) in
            func step(_ message: RestoreMessage) throws(Channel.Failure) {
                try channel.exchange(.restore(message), by: deadline) { (part) throws(KeychainError) in
                    switch part {
                    case .restore(.received(let count)): progress(count)
                    case .restore(.report(let part)):
                        report = RestoreReport(
                            origin: part.origin,
                            counts: part.counts,
                            items: (report?.items ?? []) + part.items
                        )
                    case .outcome(.failure(let error)): throw error
                    default: throw Self.unexpected
                    }
                }
            }
            try step(.begin(request))
            while let bytes = try part(of: source) { try step(.part(bytes)) }
            try step(.end)
        }
        guard let report else { throw Self.unexpected }
        return report
    }

    package func origin(ofBackupsBy signer: [UInt8]) throws(KeychainError) -> BackupOrigin {
        guard case .restore(.origin(let origin)) = try parts(.restore(.origin(signer: signer))).last
        else { throw Self.unexpected }
        return origin
    }

    private func part(of source: BackupSource) throws(Channel.Failure) -> [UInt8]? {
        do throws(KeychainError) {
            let bytes = try source(RestoreMessage.largestPart)
            return bytes.isEmpty ? nil : bytes
        } catch {
            throw .refused(error)
        }
    }

    /// The answer to what may take long and is not tried again.
    func lastingAnswer(to request: Request) throws(KeychainError) -> Response.Body {
        var answer: Response.Body?
        try onChannel { (channel) throws(Channel.Failure) in
            answer = try channel.exchange(request, by: deadline()).last
        }
        guard let answer else { throw Self.unexpected }
        return answer
    }

    func deadline() -> Deadline { Deadline(deadlines.backup) }

    /// Does something that is not tried again: what a token was used for, it cannot be used for once more.
    func onChannel(_ body: (Channel) throws(Channel.Failure) -> Void) throws(KeychainError) {
        try ForkGuard.holdingOffForks { () throws(KeychainError) in
            do throws(Channel.Failure) {
                try pool.withChannel(body)
            } catch {
                throw failed(error, isRepeatable: false)
            }
        }
    }
}
