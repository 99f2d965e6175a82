package import KeychainSync
package import KeychainSystem

/// A transport that is found again by what is written down of it, and tells of changes.
package protocol PlacedTransport: SyncTransport {
    var place: TransportPlace { get }

    /// Hears of changes in a circle from now on.
    func changes(in circle: CircleID) throws(SyncTransportFailure) -> any TransportChanges
}

/// Hears of changes in a transport. It is a hint: nothing may have changed, and a change may be heard of twice.
package protocol TransportChanges: AnyObject {
    /// Ends a waiting. Any thread can do that.
    var wakeUp: WakeUp { get }
    /// How long changes are waited for that come one after the other.
    var gathering: Duration { get }

    /// Waits until something may have changed.
    ///
    /// - Returns: false where the deadline came first.
    func wait(until deadline: ContinuousClock.Instant?) throws(SystemError) -> Bool
}

extension TransportPlace {
    /// The transport that is there. It is not looked for before it is asked for something.
    package var transport: any PlacedTransport {
        switch self {
        case .folder(let path): FolderTransport(path: path)
        case .cluster: ProgramTransport(self)
        }
    }
}

extension FolderTransport: PlacedTransport {
    package var place: TransportPlace { .folder(path) }

    package func changes(in circle: CircleID) throws(SyncTransportFailure) -> any TransportChanges {
        do {
            return try FolderChanges(in: self, of: circle)
        } catch {
            throw SyncTransportFailure(.other, "\(error)")
        }
    }
}
