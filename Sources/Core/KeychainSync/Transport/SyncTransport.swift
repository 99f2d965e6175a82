/// What carries blobs between devices: a folder or a server that none of them trusts.
///
/// What is written arrives some day, in any order. What is read may be old, or anybody's: a blob that is not what its name
/// says counts as absent, and the reader is the one to decide that.
package protocol SyncTransport: Sendable {
    /// The circles that have any blob here.
    ///
    /// - Throws: `SyncTransportFailure`, as all functions do.
    func circles() throws(SyncTransportFailure) -> [CircleID]

    /// The names of the blobs of one kind; maybe not the newest.
    func list(_ kind: BlobName.Kind, in circle: CircleID) throws(SyncTransportFailure) -> [BlobName]

    /// - Returns: nil for what is not there, and for what is longer than such a blob can be.
    func read(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure) -> [UInt8]?

    /// Writes a blob, in place of what has the name. Once more does no harm.
    func write(_ bytes: [UInt8], as name: BlobName, in circle: CircleID) throws(SyncTransportFailure)

    /// Whether it writes several blobs at once, all or none. It may refuse to, and then writes them one after the other.
    var takesSeveral: Bool { get }

    /// Writes blobs, and never a later one without those before it.
    func write(_ blobs: [SyncBlob], in circle: CircleID) throws(SyncTransportFailure)

    /// Removes a blob, if it is there.
    func remove(_ name: BlobName, in circle: CircleID) throws(SyncTransportFailure)
}

extension SyncTransport {
    package var takesSeveral: Bool { false }

    package func write(_ blobs: [SyncBlob], in circle: CircleID) throws(SyncTransportFailure) {
        try writeInTurn(blobs, in: circle)
    }

    /// Writes one after the other.
    package func writeInTurn(_ blobs: [SyncBlob], in circle: CircleID) throws(SyncTransportFailure) {
        for blob in blobs { try write(blob.bytes, as: blob.name, in: circle) }
    }
}

/// What a transport carries, with its name.
package struct SyncBlob: Sendable, Equatable {
    package let bytes: [UInt8]
    package let name: BlobName

    package init(_ bytes: [UInt8], as name: BlobName) {
        self.bytes = bytes
        self.name = name
    }
}

/// Why a transport did not do what it was asked for. It may do so later.
package struct SyncTransportFailure: Error, Equatable, CustomStringConvertible {
    package enum Kind: Sendable {
        /// It cannot be reached: a folder that is not mounted, a server that does not answer.
        case unreachable
        /// There is no room left.
        case full
        case other
    }

    package let kind: Kind
    package let description: String

    package init(_ kind: Kind, _ description: String) {
        self.kind = kind
        self.description = description
    }
}
