import Crypto
import KeychainModel
package import MessageBus

/// The backend of the portal by which sandboxed applications get a secret of their own
/// (`org.freedesktop.impl.portal.Secret`, https://flatpak.github.io/xdg-desktop-portal/).
extension SecretService {
    package static let portalPath = "/org/freedesktop/portal/desktop"
    package static let portalInterface = "org.freedesktop.impl.portal.Secret"
    /// Whoever owns it is the portal itself, which says which application asks.
    package static let portalName = "org.freedesktop.portal.Desktop"
    private static let schema = "org.freedesktop.portal.Secret"
    private static let secretSize = 64

    /// - Parameter portal: the unique name of the portal; nil where there is none.
    package mutating func receivePortal(_ call: BusCall, portal: String?, at now: UInt64) -> [Effect] {
        self.now = now
        do throws(BusError) {
            try answerPortal(call, portal)
        } catch {
            reply(call, .failure(error))
        }
        return drained()
    }

    private mutating func answerPortal(_ call: BusCall, _ portal: String?) throws(BusError) {
        switch (call.interface, call.member) {
        case (SecretInterface.properties, "Get"): reply(call, [.variant(.uint32(1))])
        case (SecretInterface.properties, "GetAll"): reply(call, [.properties([("version", .uint32(1))])])
        case (Self.portalInterface, "RetrieveSecret"):
            // Anybody else could ask for any application's.
            guard let portal, portal == call.sender else { throw .accessDenied }
            var arguments = BusArguments(call)
            _ = try arguments.path()
            let application = try arguments.string()
            _ = try arguments.next { if case .descriptor = $0 { true } else { nil } }
            guard !application.isEmpty else { throw .invalidArguments("the portal names no application") }
            try retrieve(call, of: application)
        default: throw .noSuchMethod
        }
    }

    private mutating func retrieve(_ call: BusCall, of application: String) throws(BusError) {
        let attributes = try SecretAttributes([
            SecretAttributes.Pair(name: "app_id", value: application),
            SecretAttributes.Pair(name: "xdg:schema", value: Self.schema),
        ])
        guard !isLocked(Self.portalID), let place = collections[Self.portalID] else { return refuse(call) }
        // The record says since when the place is there.
        guard place.stored.created > 0 else {
            let made = StoredCollection(id: Self.portalID, label: place.stored.label, created: now, modified: now)
            _ = ask(for: call.sender, .save(made)) { service, result in
                if case .failure = result { return service.refuse(call) }
                service.collections[Self.portalID]?.stored = made
                service.retrieve(call, attributes, of: application)
            }
            return
        }
        retrieve(call, attributes, of: application)
    }

    private mutating func retrieve(_ call: BusCall, _ attributes: SecretAttributes, of application: String) {
        guard let place = collections[Self.portalID] else { return refuse(call) }
        if let item = place.match(attributes) {
            let id = item.stored.id
            _ = ask(for: call.sender, .read([id], AccessReason(client: call.sender))) { service, result in
                guard case .secrets(let secrets) = result, let secret = secrets[id] else { return service.refuse(call) }
                service.give(secret, to: call)
            }
            return
        }
        // Earlier versions kept it among the items of clients. A client can have made or changed such an item later.
        guard let collection = collectionID(ofAlias: "default"), let item = collections[collection]?.match(attributes),
            max(item.stored.created, item.stored.modified) <= place.stored.created
        else {
            let secret = unsafe SymmetricKey(size: SymmetricKeySize(bitCount: Self.secretSize * 8)).withUnsafeBytes {
                bytes in
                unsafe SecretBytes(bytes)
            }
            return keep(secret, attributes, of: application, for: call) { _ in }
        }
        guard !isLocked(collection) else { return refuse(call) }
        let id = item.stored.id
        _ = ask(for: call.sender, .read([id], reason(of: collection, for: call.sender))) { service, result in
            guard case .secrets(let secrets) = result, let secret = secrets[id] else { return service.refuse(call) }
            service.keep(secret, attributes, of: application, for: call) { service in
                service.remove(id, for: call.sender) { _, _ in }
            }
        }
    }

    /// Stores a secret in the portal's place, and gives it.
    private mutating func keep(
        _ secret: SecretBytes,
        _ attributes: SecretAttributes,
        of application: String,
        for call: BusCall,
        _ goOn: @escaping @Sendable (inout SecretService) -> Void
    ) {
        let new = NewSecret(
            id: SecretItemID(collection: Self.portalID, item: Self.randomIdentifier()),
            label: application,
            details: ItemDetails(attributes: attributes, contentType: "application/octet-stream"),
            blind: BlindAttributes(attributes, key: key),
            secret: secret,
            isProtected: false
        )
        _ = ask(for: call.sender, .add(new)) { service, result in
            guard service.added(new, result) else { return service.refuse(call) }
            service.give(secret, to: call)
            goOn(&service)
        }
    }

    private mutating func give(_ secret: SecretBytes, to call: BusCall) {
        effects.append(.give(call.id, secret, done: Self.answer(0), refused: Self.answer(2)))
    }

    /// The portal knows three answers: 0 done, 1 cancelled, 2 otherwise ended.
    private static func answer(_ code: UInt32) -> BusReply { .values([.uint32(code), .properties([])]) }

    private mutating func refuse(_ call: BusCall) { reply(call, Self.answer(2)) }
}
