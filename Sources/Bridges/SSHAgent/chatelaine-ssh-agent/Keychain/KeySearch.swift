import KeychainModel
import SSHAgentProtocol

/// What finds the agent's keys and their certificates in a keychain, in one trip.
struct KeySearch {
    /// The application tag of key items.
    static let tag = AttributeValue.string("ssh")
    /// The service of generic passwords that are keys.
    static let service = AttributeValue.string("chatelaine-ssh-agent")
    /// The service of generic passwords that are certificates.
    static let certificateService = AttributeValue.string("chatelaine-ssh-agent-certificate")

    private(set) var requests: [FindRequest]

    /// Where a key may be.
    private enum Place: CaseIterable {
        case enclave
        case item
    }

    /// All keys and certificates.
    ///
    /// - Parameter accessibility: of the keys; nil for any. Certificates are public, so a locked keychain still has them.
    init(_ accessibility: Accessibility? = nil) {
        self.init(nil, in: Place.allCases, accessibility)
    }

    /// One key, or a certificate and its key. The search in the likelier place comes first, and the next one is for when it
    /// finds nothing.
    static func searches(for wanted: SSHPublicKey, _ accessibility: Accessibility? = nil) -> [KeySearch] {
        // Most keys on this curve are the Secure Enclave's, which has no others.
        guard case .ecdsa(.p256, _) = wanted.material else { return [KeySearch(wanted, in: [.item], accessibility)] }
        return Place.allCases.map { KeySearch(wanted, in: [$0], accessibility) }
    }

    private init(_ wanted: SSHPublicKey?, in places: [Place], _ accessibility: Accessibility?) {
        requests =
            places.map { place in
                var request =
                    switch place {
                    case .enclave: Self.request(Self.enclaveKeys(wanted), [.attributes, .data])
                    case .item: Self.request(Self.passwords(Self.service, wanted?.fingerprint), .attributes)
                    }
                request.query.accessibility = accessibility
                return request
            }
        if wanted == nil || wanted?.certificate != nil {
            requests.append(
                Self.request(Self.passwords(Self.certificateService, wanted?.digest), [.attributes, .data])
            )
        }
    }

    private static func enclaveKeys(_ wanted: SSHPublicKey?) -> ItemQuery {
        var query = ItemQuery(itemClass: .key)
        query.filters[.applicationTag] = tag
        query.filters[.tokenID] = .string(EnclaveKey.tokenID)
        if let hash = wanted?.pointHash { query.filters[.applicationLabel] = .data(hash) }
        return query
    }

    /// - Parameter account: nil for all.
    private static func passwords(_ service: AttributeValue, _ account: String?) -> ItemQuery {
        var query = ItemQuery(itemClass: .genericPassword)
        query.filters[.service] = service
        if let account { query.filters[.account] = .string(account) }
        return query
    }

    private static func request(_ query: ItemQuery, _ returns: ReturnSelection) -> FindRequest {
        var request = FindRequest(query: query)
        request.limit = .all
        request.returns = returns
        request.authentication.ui = .skip
        return request
    }
}

/// What a search has found.
struct FoundKeys {
    var keys: [KeptKey] = []
    var certificates: [FoundItem] = []

    /// The keys, and behind them their certificates.
    var all: [KeptKey] { keys + keys.flatMap(certificates) }

    /// Each is used as its key is.
    func certificates(of key: KeptKey) -> [KeptKey] { certificates.compactMap(key.certified) }
}
