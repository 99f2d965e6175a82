import EnclaveInterface
import KeychainModel
import KeychainSystem

/// The holders of places among the owners' connections.
///
/// Root has places of its own, which no other user can take: PAM brings passcodes as root. The others share the rest.
/// Where it is full, the user with most connections loses one, the idle ones first; users without a keychain share a
/// small part, in the same way. An idle connection keeps no user out.
extension EnclaveLoop {
    private static let mostOfRoot = 64
    private static let mostOwners = 512
    private static let mostOfOwner = 128
    /// Of all users together who have no keychain.
    private static let mostOfStrangers = 64

    mutating func takeOwner(_ socket: PacketSocket, _ uid: UInt32) {
        let isStranger = uid != 0 && !service.table.knows(uid)
        guard makeRoom(for: uid, isStranger: isStranger) else { return }
        let number = add(socket, .owner(uid: uid))
        peers[number]?.isStranger = isStranger
    }

    /// - Returns: false where no user has more than the new one.
    private mutating func makeRoom(for uid: UInt32, isStranger: Bool) -> Bool {
        var held: [UInt32: [EnclavePeer]] = [:]
        var (others, strangers) = (0, 0)
        for peer in peers.values {
            guard case .owner(let owner) = peer.role else { continue }
            held[owner, default: []].append(peer)
            if owner != 0 { others += 1 }
            if peer.isStranger { strangers += 1 }
        }
        let own = held.removeValue(forKey: uid) ?? []
        if own.count >= (uid == 0 ? Self.mostOfRoot : Self.mostOfOwner) {
            // Only idle connections: the user's other programs may be in the middle of a request.
            return giveUp(own.filter { $0.rank == .idle })
        }
        guard uid != 0 else { return true }
        held[0] = nil
        func most(where isMeant: (EnclavePeer) -> Bool) -> [EnclavePeer] {
            held.values.map { $0.filter(isMeant) }.max { $0.count < $1.count } ?? []
        }
        if isStranger, strangers >= Self.mostOfStrangers {
            let most = most(where: \.isStranger)
            guard most.count > own.count else { return giveUp(own.filter { $0.rank == .idle }) }
            return giveUp(most)
        }
        if others >= Self.mostOwners {
            let most = most { !isStranger || !$0.isStranger }
            guard most.count > own.count else { return giveUp(own.filter { $0.rank == .idle }) }
            return giveUp(most)
        }
        return true
    }

    /// The oldest of those for which least is under way.
    private mutating func giveUp(_ candidates: [EnclavePeer]) -> Bool {
        guard let peer = candidates.min(by: { ($0.rank.rawValue, $0.number) < ($1.rank.rawValue, $1.number) }) else {
            return false
        }
        remove(peer.number)
        return true
    }

    /// Tells a peer that its request was put off the queue by a user who had less in it.
    func refusal(of header: EnclaveMessage.Header, to number: UInt64) -> @Sendable () -> Void {
        { [service] in
            let message = EnclaveFailure.encoded(EnclaveWorker.isBusy, id: header.id, uid: header.uid)
            service.deliveries.add(.reply(message, to: number))
        }
    }
}

extension EnclavePeer {
    /// How much is lost with it.
    fileprivate enum Rank: Int {
        case idle
        case showsPrompts
        case waits
    }

    fileprivate var rank: Rank { isWaiting ? .waits : registration != nil ? .showsPrompts : .idle }

    /// Whose queue at a worker its requests wait in: an owner's own, so that root does not wait for a user's many
    /// requests.
    func queue(about uid: UInt32) -> UInt32 {
        if case .owner(let own) = role { own } else { uid }
    }
}
