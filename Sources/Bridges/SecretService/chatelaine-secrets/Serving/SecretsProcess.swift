import CKeychainLinux
import Dispatch
import Foundation
import Glibc
import KeychainClient
import KeychainModel
import KeychainProtocol
import KeychainSystem
import MessageBus
import SecretServiceModel
import Synchronization
import Terminal

/// The process that serves the bus. One thread does everything but what may wait for a person.
final class SecretsProcess {
    private let bus: MessageBus
    private let secrets: KeychainSecrets
    private let callers: BusCallers
    private let mailbox: Mailbox
    private let waiting = DispatchQueue(label: "chatelaine.secrets.presence", attributes: .concurrent)
    private var service: SecretService
    /// Whose requests wait for a person.
    private var asked: [SecretService.Ticket: String] = [:]
    /// The portal's unique name, as the bus said last: a question for each call would keep all other calls waiting.
    private var portal: String?

    /// - Parameter address: the bus; nil for the session's own.
    /// - Throws: `KeychainError`, `BusFailure`, `BusError`; `Failure` where another program has the name.
    init(address: String?) throws {
        bus = try MessageBus(address.map(MessageBus.Place.address) ?? .session, serves: true)
        callers = BusCallers()
        mailbox = try Mailbox()
        secrets = try KeychainSecrets(callers: callers)
        // Before the first read, so that no change is missed in between.
        if Self.watch(secrets, mailbox) { mailbox.waitForFirst() }
        service = SecretService(try secrets.load())
        try bus.watch(
            "type='signal',sender='org.freedesktop.DBus',interface='org.freedesktop.DBus',member='NameOwnerChanged'"
        )
        portal = try? bus.owner(of: SecretService.portalName)
        // What waits to be read may bring sixteen descriptors with each message.
        Self.raiseDescriptorLimit()
        // Last: from here on clients come.
        guard try bus.request(SecretInterface.name) else {
            throw Failure("another program serves \(SecretInterface.name); chatelaine secrets status says which")
        }
    }

    /// Serves until the bus goes, or until it is told to stop.
    ///
    /// - Throws: `BusFailure`
    func run() throws(BusFailure) {
        while true {
            switch try bus.next(wake: mailbox.wake.number, end: end) {
            case .call(let call): perform(receive(call))
            case .signal(_, _, "NameOwnerChanged", "org.freedesktop.DBus", let arguments): ownerChanged(arguments)
            case .signal, .refused, .answer: break
            case .wake, .late: guard wake() else { return }
            }
        }
    }

    /// When something is to be done even if nothing comes, in microseconds of CLOCK_MONOTONIC.
    private var end: UInt64 {
        let deadline = Self.microseconds(until: service.nextDeadline)
        // A client that has opened a session goes on at once, and must not wait for the next one's.
        return service.isPrepared ? deadline : min(deadline, Self.monotonic + 20_000)
    }

    private func receive(_ call: BusCall) -> [SecretService.Effect] {
        if call.path == SecretService.portalPath {
            return service.receivePortal(call, portal: portal, at: Self.now)
        }
        return service.receive(call, at: Self.now)
    }

    private func ownerChanged(_ arguments: [BusValue]) {
        guard case .string(let name) = arguments.first, case .string(let owner) = arguments.last else { return }
        if name == SecretService.portalName { portal = owner.isEmpty ? nil : owner }
        guard owner.isEmpty, name.hasPrefix(":") else { return }
        perform(service.left(name))
    }

    private static func raiseDescriptorLimit() {
        let kind = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        var limit = rlimit()
        guard unsafe getrlimit(kind, &limit) == 0 else { return }
        limit.rlim_cur = limit.rlim_max
        _ = unsafe setrlimit(kind, &limit)
    }

    // MARK: - Letters

    private func wake() -> Bool {
        for letter in mailbox.empty() {
            switch letter {
            case .answer(let ticket, let result):
                asked[ticket] = nil
                // An unlock changes what can be read.
                if service.isLocked { reload() }
                perform(service.answered(ticket, result, at: Self.now))
            case .event(let event): follow(event)
            case .stop: return false
            }
        }
        perform(service.passed(to: Self.now))
        service.prepare()
        return true
    }

    private func follow(_ event: KeychainEvent) {
        switch event {
        case .lockState, .missed: reload()
        // Not for this watcher.
        case .circleChange: break
        case .item(let change, let reference, _):
            guard let uuid = reference.uuid, !secrets.known.withLock({ $0.isOwn(uuid) }) else { return }
            if change == .deleted {
                switch secrets.known.withLock({ $0.forget(uuid) }) {
                case .item(let id): perform(service.deletedElsewhere(id))
                case .collection, .alias, .key: reload()
                case .blind, nil: break
                }
                return
            }
            do throws(KeychainError) {
                switch try secrets.change(reference, key: service.blindKey) {
                case .item(let stored) where service.hasCollection(stored.id.collection):
                    perform(service.changedElsewhere(stored))
                case .item, .record: reload()
                case .nothing: break
                }
            } catch {
                reload()
            }
        }
    }

    private func reload() {
        do throws(KeychainError) {
            perform(service.load(try secrets.load()))
        } catch {
            Self.complain("the keychain cannot be read: \(error.message)")
        }
    }

    // MARK: - Effects

    private func perform(_ effects: [SecretService.Effect]) {
        for effect in effects {
            switch effect {
            case .reply(let call, let reply): bus.answer(call, reply)
            case .signal(let signal): bus.send(signal)
            case .give(let call, let secret, let done, let refused):
                let isGiven = bus.descriptor(of: call).map { HandedDescriptor($0).take(secret) } ?? false
                bus.answer(call, isGiven ? done : refused)
            case .store(let ticket, let request, let client): store(ticket, request, for: client)
            case .withdraw(let ticket):
                if let client = asked[ticket] { secrets.forgetContexts(of: client) }
            case .forget(let client): secrets.forget(client)
            }
        }
    }

    private func store(_ ticket: SecretService.Ticket, _ request: StoreRequest, for client: String) {
        callers.resolve(client) { bus.process(of: $0) }
        guard request.mayAsk else {
            return perform(service.answered(ticket, secrets.answer(request, for: client), at: Self.now))
        }
        asked[ticket] = client
        waiting.async { [secrets, mailbox] in mailbox.put(.answer(ticket, secrets.answer(request, for: client))) }
    }

    // MARK: - The keychain's events

    /// - Returns: whether there are any: without a service nobody tells of changes.
    private static func watch(_ secrets: KeychainSecrets, _ mailbox: Mailbox) -> Bool {
        let keychain = secrets.keychain
        guard keychain.isHeldByService else { return false }
        let watcher = Thread {
            while true {
                // The first event says how it stands; what came between two connections is unknown.
                do throws(KeychainError) {
                    try keychain.watch { event in
                        mailbox.put(.event(event))
                        return true
                    }
                } catch {
                    // The service starts with the next call, or has too many who watch.
                }
                sleep(1)
            }
        }
        watcher.start()
        return true
    }

    // MARK: - Time

    private static var now: UInt64 { UInt64(clamping: time(nil)) }

    private static func microseconds(until deadline: UInt64?) -> UInt64 {
        guard let deadline else { return .max }
        let rest = deadline > now ? min(deadline - now, 3_600) : 0
        return monotonic + rest * 1_000_000 + 1_000
    }

    private static var monotonic: UInt64 {
        var present = timespec()
        unsafe clock_gettime(CLOCK_MONOTONIC, &present)
        return UInt64(present.tv_sec) * 1_000_000 + UInt64(present.tv_nsec) / 1_000
    }

    static let name = "chatelaine-secrets"

    static func complain(_ message: String) {
        Console.complain(message, as: name)
    }
}
