import CKeychainLinux
import EnclaveDesk
import EnclaveInterface
import Glibc
import KeychainModel
import KeychainSystem
import LocalEnclave
import Synchronization

/// What answers all that takes microseconds, and what its one thread alone touches.
struct EnclaveLoop {
    let service: EnclaveService
    var peers: [UInt64: EnclavePeer] = [:]
    private var next: UInt64 = 1
    private var buffer = [UInt8](repeating: 0, count: EnclaveMessage.largest)
    private var waiting: [pollfd] = []
    /// The peers behind `waiting`, after the fixed ones.
    private var order: [UInt64] = []
    private var isOutdated = true
    private var firstPeer: UInt64?
    private var watch = UnwrapWatch()
    var vouchers = Vouchers()
    /// Whether any keychain locks itself after a time.
    private var hasTimeouts = false
    private var nextTick = ContinuousClock.now

    init(_ service: EnclaveService) {
        self.service = service
        if let socket = service.sockets.service { firstPeer = add(socket, .service) }
    }

    // MARK: Limits

    private static let mostServices = 4
    private static let mostChannels = 192
    private static let mostPrompters = 64
    private static let mostWitnesses = 64
    /// Connections that are taken in one go.
    private static let mostAtOnce = 64

    mutating func run() {
        service.relay.loopIsHere()
        while !service.isStopping.load(ordering: .acquiring) {
            if isOutdated { arrange() }
            let ready = unsafe poll(&waiting, nfds_t(waiting.count), hasTimeouts ? Self.tick : -1)
            if hasTimeouts, .now >= nextTick {
                nextTick = .now + .milliseconds(Int(Self.tick))
                service.lockWhatIsOverdue()
            }
            guard ready > 0 else { continue }
            if waiting[0].revents != 0 { deliver() }
            if waiting[1].revents != 0, let listener = service.sockets.ownerListener { takeOwners(listener) }
            if waiting[2].revents != 0, let listener = service.sockets.serviceListener {
                takeServices(listener.descriptor, from: listener.uid)
            }
            for (index, number) in order.enumerated() where waiting[index + Self.fixed].revents != 0 {
                read(number)
            }
            if let firstPeer, peers[firstPeer] == nil { return }
        }
    }

    private static let fixed = 3

    private mutating func arrange() {
        func poll(_ descriptor: Int32?, _ events: Int32 = POLLIN) -> pollfd {
            // The kernel leaves a negative one out.
            pollfd(fd: descriptor ?? -1, events: Int16(events), revents: 0)
        }
        waiting = [
            poll(service.deliveries.wake.number), poll(service.sockets.ownerListener),
            poll(service.sockets.serviceListener?.descriptor),
        ]
        order = peers.keys.sorted()
        for number in order {
            guard let peer = peers[number] else { continue }
            waiting.append(poll(peer.socket.number, peer.isWaiting ? 0 : POLLIN))
        }
        isOutdated = false
    }

    // MARK: Connections

    mutating func add(_ socket: PacketSocket, _ role: EnclavePeer.Role) -> UInt64 {
        let number = next
        next += 1
        peers[number] = EnclavePeer(number: number, socket: socket, role: role)
        isOutdated = true
        return number
    }

    mutating func remove(_ number: UInt64) {
        guard let peer = peers.removeValue(forKey: number) else { return }
        isOutdated = true
        if let question = peer.question { withdraw(question.id, of: question.uid) }
        if let registration = peer.registration { service.table.unregister(registration) }
        guard peer.role == .service else { return }
        service.relay.gone(number)
        service.table.end(number)
        // What it opened goes with it.
        for other in Array(peers.values) where other.role == .channel(of: number) { remove(other.number) }
    }

    private func withdraw(_ question: ItemUUID, of uid: UInt32) {
        guard service.table.opened(uid) != nil else { return }
        try? service.table.desk(of: uid).withdraw(question)
    }

    private mutating func takeOwners(_ listener: Int32) {
        for _ in 0..<Self.mostAtOnce {
            guard let socket = accept(listener) else { return }
            guard let uid = socket.peer?.uid else { continue }
            if let only = service.sockets.onlyUser, uid != only, uid != 0, uid != service.sockets.prompter { continue }
            if uid == service.sockets.witness {
                guard peers.values.count(where: { $0.role == .witness }) < Self.mostWitnesses else { continue }
                _ = add(socket, .witness)
                continue
            }
            if uid == service.sockets.prompter {
                guard peers.values.count(where: { $0.role == .prompter }) < Self.mostPrompters else { continue }
                _ = add(socket, .prompter)
                continue
            }
            takeOwner(socket, uid)
        }
    }

    private mutating func takeServices(_ listener: Int32, from uid: UInt32) {
        for _ in 0..<Self.mostAtOnce {
            guard let socket = accept(listener) else { return }
            guard let peer = socket.peer?.uid, peer == uid else {
                service.log("somebody else than the keychain service has connected and is not answered")
                continue
            }
            guard peers.values.count(where: { $0.role == .service }) < Self.mostServices else { continue }
            _ = add(socket, .service)
        }
    }

    private func accept(_ listener: Int32) -> PacketSocket? {
        let connection = clinux_accept(listener)
        return connection >= 0 ? PacketSocket(owning: connection) : nil
    }

    // MARK: Requests

    private mutating func read(_ number: UInt64) {
        guard let peer = peers[number] else { return }
        // It is gone while a worker has its request.
        guard !peer.isWaiting else { return remove(number) }
        let (outcome, count, descriptor) = peer.socket.receive(
            into: &buffer,
            waits: false,
            takesDescriptor: peer.role == .service
        )
        switch outcome {
        case .late: return
        case .gone: return remove(number)
        case .done: break
        }
        let decoded = Result { () throws(KeychainError) in try KnownRequests.read(buffer[..<count]) }
        wipe(&buffer, count)
        // What is no message is not answered: both ends are of one version.
        guard case .success((let header, let request)) = decoded else { return remove(number) }
        answer(request, IncomingMessage(header: header, peer: peer, descriptor: descriptor))
        clinux_wipe_stack()
    }

    private mutating func answer(_ request: KnownRequests.Request, _ message: IncomingMessage) {
        do throws(KeychainError) {
            try message.peer.check(type(of: request.value), about: message.header.uid)
            if let only = service.sockets.onlyUser, only != message.header.uid {
                throw KeychainError(.noPermission, "this is another user's keychain")
            }
            switch request {
            case .loop(let request): try request.answer(message, in: &self)
            case .table(let request):
                try serve(request, message) { [header = message.header] in request.reply($0, to: header) }
            case .served(let request):
                try serve(request, message) { [header = message.header] in request.reply($0, to: header) }
            }
        } catch {
            let header = message.header
            send(EnclaveFailure.encoded(error, id: header.id, uid: header.uid), to: message.peer.number)
        }
    }

    /// Answers at once what takes no time, and gives the rest to a worker.
    private mutating func serve(
        _ request: any EnclaveRequest,
        _ message: IncomingMessage,
        _ reply: @escaping @Sendable (TableVisit) -> [UInt8]
    ) throws(KeychainError) {
        let uid = message.header.uid
        let visit = TableVisit(table: service.table, uid: uid, sender: try sender(message.peer))
        // A user's first request has to read files.
        if type(of: request).thread.mayRunOnLoop, !request.takesTime, service.table.opened(uid) != nil {
            if let unwrap = request as? UnwrapRequest, watch.isUnusual(unwrap.keys.count, of: uid) {
                service.log("more than \(UnwrapWatch.unusual) items of uid \(uid) were read in a minute")
            }
            return send(reply(visit), to: message.peer.number)
        }
        let number = message.peer.number
        try hand(message, to: worker(of: type(of: request).thread)) { [service] in
            service.deliveries.add(.reply(reply(visit), to: number))
            // After the answer, which says why.
            if service.hasToEnd() { service.deliveries.add(.end) }
            clinux_wipe_deep_stack()
        }
    }

    /// As whom a peer asks an enclave.
    private func sender(_ peer: EnclavePeer) throws(KeychainError) -> EnclaveVisit.Sender {
        switch peer.role {
        case .channel: return .service(connection: peer.connection)
        case .owner(let uid): return .owner(service.table.visitor(isRoot: uid == 0))
        case .prompter: return .prompter
        // They have the loop's requests only.
        case .service, .witness: throw KeychainError(.noPermission, "this belongs on another connection")
        }
    }

    private func worker(of thread: RequestThread) -> EnclaveWorker {
        switch thread {
        case .passcodes: service.passcodes
        case .changes, .loop: service.changes
        }
    }

    /// Has a worker do what may take its time. The peer's next request is read once there is an answer.
    private mutating func hand(
        _ message: IncomingMessage,
        to worker: EnclaveWorker,
        _ work: @escaping @Sendable () -> Void
    ) throws(KeychainError) {
        let peer = message.peer
        let refuse = refusal(of: message.header, to: peer.number)
        try worker.add(EnclaveWorker.Job(uid: peer.queue(about: message.header.uid), refuse: refuse, run: work))
        peer.isWaiting = true
        isOutdated = true
    }

    // MARK: Connections and questions

    mutating func openChannel(_ descriptor: PacketSocket, of peer: EnclavePeer) {
        let count = peers.values.count { $0.role == .channel(of: peer.number) }
        guard count < Self.mostChannels else { return }
        _ = add(descriptor, .channel(of: peer.number))
    }

    /// Opens a question; its answer comes when the owner's does.
    mutating func open(_ question: PresenceQuestion, _ message: IncomingMessage) throws(KeychainError) {
        let (header, number, connection) = (message.header, message.peer.number, message.peer.connection)
        let asker = asker(of: question, about: header.uid)
        try hand(message, to: service.changes) { [service] in
            @Sendable func answer(_ result: Result<PresenceProof, KeychainError>) {
                service.deliveries.add(.reply(AskOwnerRequest.reply(result, to: header), to: number))
            }
            do throws(KeychainError) {
                // A look at the state, which may have been locked by time alone.
                _ = try service.table.enclave(of: header.uid).state()
                let desk = try service.table.desk(of: header.uid)
                desk.refreshReaders(for: question.demand)
                let whom = { () throws(KeychainError) in try asker.get() }
                let id = try desk.begin(question, of: whom, on: connection) { answer($0) }
                service.deliveries.add(.asked(id, uid: header.uid, by: number))
            } catch {
                answer(.failure(error))
            }
        }
    }

    /// Whom a question is shown of. The service's own word is none, and a voucher is used up in any case.
    private mutating func asker(of question: PresenceQuestion, about uid: UInt32) -> Result<Asker, KeychainError> {
        guard case .vouched(let voucher, let name) = question.asker,
            let program = vouchers.redeem(voucher, of: uid)
        else {
            return .failure(KeychainError(.noPermission, "nobody vouches for the program that asks"))
        }
        return .success(.vouched(program, name: name))
    }

    // MARK: Replies

    /// The loop never waits for a peer: a client that does not read is disconnected.
    mutating func send(_ message: consuming [UInt8], to number: UInt64) {
        var message = message
        defer { wipe(&message) }
        guard let peer = peers[number] else { return }
        if peer.isWaiting {
            peer.isWaiting = false
            peer.question = nil
            isOutdated = true
        }
        if peer.socket.send(message, waits: false) != .done { remove(number) }
    }

    private var services: Set<UInt64> { Set(peers.values.filter { $0.role == .service }.map(\.number)) }

    /// In milliseconds.
    private static let tick: Int32 = 1_000

    private mutating func deliver() {
        let deliveries = service.deliveries.take()
        // What a worker has done may have changed settings.
        defer { if !deliveries.isEmpty { hasTimeouts = service.table.hasTimeouts } }
        // A reply may have had keys.
        defer { clinux_wipe_stack() }
        for delivery in deliveries {
            switch delivery {
            case .reply(let message, let number): send(message, to: number)
            case .event(let event):
                let services = self.services
                // Before it is sent, since the acknowledgement may be there at once.
                service.relay.sent(event.id, to: services)
                guard let message = try? event.encoded() else { continue }
                for number in services { send(message, to: number) }
            case .asked(let id, let uid, let number):
                if let peer = peers[number] { peer.question = (id, uid) } else { withdraw(id, of: uid) }
            case .tell(let message, let number):
                if let peer = peers[number], peer.socket.send(message, waits: false) != .done { remove(number) }
            case .overdue(let numbers):
                service.log("the keychain service has not acknowledged a change of keys in time and is cut off")
                for number in numbers ?? services { remove(number) }
            case .end: service.isStopping.store(true, ordering: .releasing)
            }
        }
    }
}
