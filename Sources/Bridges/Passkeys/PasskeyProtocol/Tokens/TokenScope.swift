/// What a token is good for. A token to look after passkeys uses none: the question that its owner has answered names no
/// site.
enum TokenScope: Sendable, Equatable {
    case passkeys(RelyingParty, makes: Bool, uses: Bool)
    /// - site: nil for the passkeys of all sites.
    case management(RelyingParty?)

    /// - Parameter permissions: CTAP 2.1, section 6.5.5.7.
    /// - Throws: `unauthorizedPermission` for one that is not known here, and for two that do not go together;
    ///   `missingParameter` where no site is named.
    init(permissions: Int64, site: RelyingParty?) throws(CTAPStatus) {
        switch permissions {
        case 0: throw .invalidParameter
        case 1, 2, 3:
            guard let site else { throw .missingParameter }
            self = .passkeys(site, makes: permissions & 1 != 0, uses: permissions & 2 != 0)
        case 4: self = .management(site)
        default: throw .unauthorizedPermission
        }
    }

    var question: PasskeyQuestion {
        switch self {
        case .passkeys(let site, let makes, let uses): .token(site: site, makes: makes, uses: uses)
        case .management: .manage
        }
    }
}

/// What a request does with a token.
enum TokenPurpose: Sendable, Equatable {
    case make(RelyingParty)
    case use(RelyingParty)
    case manage

    func isWithin(_ scope: TokenScope) -> Bool {
        switch (self, scope) {
        case (.make(let site), .passkeys(let own, let makes, _)): makes && site == own
        case (.use(let site), .passkeys(let own, _, let uses)): uses && site == own
        case (.manage, .management): true
        default: false
        }
    }
}
