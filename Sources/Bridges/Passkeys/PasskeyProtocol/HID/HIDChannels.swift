/// The channels that an authenticator has given to its clients.
struct HIDChannels: Sendable {
    /// Clients ask for new channels on this one.
    static let broadcast: UInt32 = 0xFFFF_FFFF
    private static let reserved: UInt32 = 0

    /// How many are remembered. A client whose channel was forgotten gets an error, and asks for a new one.
    static let most = 64

    private let newChannel: @Sendable () -> UInt32
    /// The one that was used least recently is the first.
    private var known: [UInt32] = []

    init(newChannel: @escaping @Sendable () -> UInt32) {
        self.newChannel = newChannel
    }

    var count: Int { known.count }

    func contains(_ channel: UInt32) -> Bool { known.contains(channel) }

    /// Notes that a known channel was used now.
    mutating func use(_ channel: UInt32) {
        guard let index = known.firstIndex(of: channel) else { return }
        known.append(known.remove(at: index))
    }

    /// Gives a new channel. If there are too many, the one that was used least recently is forgotten.
    ///
    /// - Parameter busy: a channel that is not forgotten.
    mutating func allocate(keeping busy: UInt32?) -> UInt32 {
        var channel = newChannel()
        // Ends soon: at most `most` and two numbers are taken.
        while channel == Self.reserved || channel == Self.broadcast || contains(channel) { channel &+= 1 }
        if known.count >= Self.most, let index = known.firstIndex(where: { $0 != busy }) { known.remove(at: index) }
        known.append(channel)
        return channel
    }
}
