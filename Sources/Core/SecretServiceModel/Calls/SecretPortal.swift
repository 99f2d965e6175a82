import Crypto
import KeychainModel

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
        guard let collection = collectionID(ofAlias: "default"), !isLocked(collection) else {
            return refuse(call)
        }
        if let item = collections[collection]?.match(attributes) {
            let id = item.stored.id
            let reason = AccessReason(client: call.sender)
            _ = ask(for: call.sender, .read([id], reason)) { service, result in
                guard case .secrets(let secrets) = result, let secret = secrets[id] else { return service.refuse(call) }
                service.give(secret, to: call)
            }
            return
        }
        let secret = unsafe SymmetricKey(size: SymmetricKeySize(bitCount: Self.secretSize * 8)).withUnsafeBytes {
            bytes in
            unsafe SecretBytes(bytes)
        }
        let new = NewSecret(
            id: SecretItemID(collection: collection, item: Self.randomIdentifier()),
            label: application,
            details: ItemDetails(attributes: attributes, contentType: "application/octet-stream"),
            blind: BlindAttributes(attributes, key: key),
            secret: secret,
            isProtected: false
        )
        _ = ask(for: call.sender, .add(new)) { service, result in
            guard service.added(new, result) else { return service.refuse(call) }
            service.give(secret, to: call)
        }
    }

    private mutating func give(_ secret: SecretBytes, to call: BusCall) {
        effects.append(.give(call.id, secret))
        reply(call, [.uint32(0), .properties([])])
    }

    /// The portal knows three answers: 0 done, 1 cancelled, 2 otherwise ended.
    private mutating func refuse(_ call: BusCall) {
        reply(call, [.uint32(2), .properties([])])
    }
}
