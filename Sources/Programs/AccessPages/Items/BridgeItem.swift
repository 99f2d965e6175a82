import KeychainModel

/// What an item is to the programs that keep other programs' secrets in the keychain. Its service and its access group say so
/// (docs/formats/secret-service.md, docs/ssh-agent.md, docs/formats/passkey.md).
enum BridgeItem: Equatable {
    /// A secret that a program has stored through D-Bus.
    case secret(collection: String)
    /// What says what a collection is called.
    case collection(String)
    /// What the Secret Service keeps for itself. No page shows it.
    case bookkeeping
    case sshKey
    case sshCertificate
    /// - site: what it logs in to.
    case passkey(site: String)

    private static let items = "secret-service.items/"
    private static let own = "secret-service."
    private static let collections = "secret-service.collections"
    private static let key = "chatelaine-ssh-agent"
    private static let certificate = "chatelaine-ssh-agent-certificate"
    private static let passkeyScheme = "webauthn:"
    private static let passkeyKind = "passkey"
    /// The access group of chatelaine-passkeys.
    private static let passkeyGroup = "chatelaine.passkeys"
    /// How the access group of chatelaine-secrets ends, with a service and without one.
    private static let groupEnd = "chatelaine-secrets"
    /// Of keys that the Secure Enclave has.
    private static let tag = "ssh"

    init?(_ itemClass: ItemClass, _ attributes: AttributeList) {
        switch itemClass {
        case .key where attributes.isInEnclave && attributes.text(.applicationTag) == Self.tag: self = .sshKey
        case .genericPassword:
            switch attributes.text(.service) {
            case Self.key: self = .sshKey
            case Self.certificate: self = .sshCertificate
            case let service? where service.hasPrefix(Self.passkeyScheme) && Self.isPasskey(attributes):
                self = .passkey(site: String(service.dropFirst(Self.passkeyScheme.count)))
            case let service? where service.hasPrefix(Self.own) && !Self.isOfSecretService(attributes):
                // Another program's items are shown, whatever it calls them.
                return nil
            case Self.collections: self = .collection(attributes.text(.account) ?? "")
            case let service? where service.hasPrefix(Self.items):
                self = .secret(collection: String(service.dropFirst(Self.items.count)))
            case let service? where service.hasPrefix(Self.own): self = .bookkeeping
            default: return nil
            }
        default: return nil
        }
    }

    private static func isPasskey(_ attributes: AttributeList) -> Bool {
        attributes.text(.kindText) == passkeyKind && attributes.text(.accessGroup) == passkeyGroup
    }

    private static func isOfSecretService(_ attributes: AttributeList) -> Bool {
        attributes.text(.accessGroup)?.hasSuffix(groupEnd) ?? false
    }

    /// What the item is for.
    var place: String? {
        switch self {
        case .secret(let collection): "Secret Service: \(collection)"
        case .sshKey, .sshCertificate: "ssh"
        case .passkey(let site): site
        case .collection, .bookkeeping: nil
        }
    }

    var kindName: String? {
        switch self {
        case .secret: "Program’s secret"
        case .sshKey: "ssh key"
        case .sshCertificate: "ssh certificate"
        case .passkey: "Passkey"
        case .collection, .bookkeeping: nil
        }
    }

    /// Whether people look for it among their items.
    var isShown: Bool {
        switch self {
        case .collection, .bookkeeping: false
        case .secret, .sshKey, .sshCertificate, .passkey: true
        }
    }
}
