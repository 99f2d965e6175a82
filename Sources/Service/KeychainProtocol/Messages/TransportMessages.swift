package import KeychainSync

/// What a round asks the program that began it, which has the transport.
package enum TransportQuestion: Sendable, Equatable {
    case circles
    case list(BlobName.Kind, in: CircleID)
    case read(BlobName, in: CircleID)
    case write([UInt8], as: BlobName, in: CircleID)
    case writeAll([SyncBlob], in: CircleID)
    case remove(BlobName, in: CircleID)
}

/// What the transport says. Nobody vouches for it.
package enum TransportReply: Sendable, Equatable {
    /// Of circles, or of blobs. A name of neither counts as absent.
    case names([String])
    /// Nil for what is not there.
    case blob([UInt8]?)
    case done
    case failure(SyncTransportFailure)
}

extension TransportQuestion {
    /// Asks a transport.
    package func answer(over transport: some SyncTransport) -> TransportReply {
        do throws(SyncTransportFailure) {
            switch self {
            case .circles: return .names(try transport.circles().map(\.text))
            case .list(let kind, let circle): return .names(try transport.list(kind, in: circle).map(\.text))
            case .read(let name, let circle): return .blob(try transport.read(name, in: circle))
            case .write(let bytes, let name, let circle): try transport.write(bytes, as: name, in: circle)
            case .writeAll(let blobs, let circle): try transport.write(blobs, in: circle)
            case .remove(let name, let circle): try transport.remove(name, in: circle)
            }
            return .done
        } catch {
            return .failure(error)
        }
    }
}
