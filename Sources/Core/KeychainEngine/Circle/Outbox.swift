import KeychainSync

/// Blobs on their way to a transport, some of them together.
struct Outbox<Transport: SyncTransport> {
    private let transport: Transport
    private let circle: CircleID
    private var blobs: [SyncBlob] = []
    private var size = 0

    private static var most: (blobs: Int, bytes: Int) { (8, 256 << 10) }

    init(over transport: Transport, in circle: CircleID) {
        self.transport = transport
        self.circle = circle
    }

    /// Writes a blob now or later, and not before those that were put in earlier.
    mutating func put(_ blob: SyncBlob) throws(SyncTransportFailure) {
        if blobs.count == Self.most.blobs || size + blob.bytes.count > Self.most.bytes { try flush() }
        blobs.append(blob)
        size += blob.bytes.count
    }

    /// Writes what is left.
    mutating func flush() throws(SyncTransportFailure) {
        guard !blobs.isEmpty else { return }
        try transport.write(blobs, in: circle)
        blobs = []
        size = 0
    }
}
