import KeychainModel

/// What the owner is asked to agree to.
package enum PasskeyQuestion: Sendable, Equatable {
    case make(site: RelyingParty, user: Passkey.User)
    /// A new passkey takes the place of one that the account has.
    case replace(site: RelyingParty, old: Passkey.User)
    /// - users: those of the passkeys that sign; empty where that is not known yet.
    case use(site: RelyingParty, users: [Passkey.User])
    /// A browser asks before it says for which account.
    case token(site: RelyingParty, makes: Bool, uses: Bool)
    case manage
    /// A command that shows them, and changes nothing.
    case list
    case rename(site: RelyingParty, user: Passkey.User, to: String)
    case delete(site: RelyingParty, user: Passkey.User)
    /// So many come in a file of another program's.
    case takeIn(Int)
    /// So many leave in a file that is not encrypted.
    case handOut(Int)
    /// Which of several devices is meant.
    case select

    /// The site that is asked for, or nil.
    package var site: RelyingParty? {
        switch self {
        case .make(let site, _), .replace(let site, _), .use(let site, _), .token(let site, _, _),
            .rename(let site, _, _), .delete(let site, _):
            site
        case .manage, .list, .takeIn, .handOut, .select: nil
        }
    }

    /// The prompt's words. A site's name keeps its end, since the owner of a domain chooses what is in front of it.
    package var reason: String {
        switch self {
        case .make(let site, let user): "make a passkey for \(Self.name(site))\(Self.account(user))"
        case .replace(let site, let user):
            "replace the passkey for \(Self.name(site))\(Self.account(user)) by a new one"
        case .use(let site, let users):
            switch users.count {
            case 0: "log in to \(Self.name(site))"
            case 1: "log in to \(Self.name(site))\(Self.account(users[0]))"
            default: "log in to \(Self.name(site)) as any of \(users.count) accounts"
            }
        case .token(let site, true, false): "make a passkey for \(Self.name(site))"
        case .token(let site, true, true): "log in to \(Self.name(site)), or make a passkey for it"
        case .token(let site, false, _): "log in to \(Self.name(site))"
        case .manage: "list the passkeys of this keychain and change their names"
        case .list: "list the passkeys of this keychain"
        case .rename(let site, let user, let name):
            "rename the passkey for \(Self.name(site))\(Self.account(user)) to \(PromptPart.quoted(name))"
        case .delete(let site, let user): "delete the passkey for \(Self.name(site))\(Self.account(user)) for good"
        case .takeIn(let count): "add \(Self.passkeys(count)) of a file to this keychain"
        case .handOut(let count): "write the private keys of \(Self.passkeys(count)) into a file that is not encrypted"
        case .select: "use this keychain's passkeys, and no other security key"
        }
    }

    private static func passkeys(_ count: Int) -> String { count == 1 ? "1 passkey" : "\(count) passkeys" }

    private static func name(_ site: RelyingParty) -> String { PromptPart.quoted(site.id, keeping: .end) }

    private static func account(_ user: Passkey.User) -> String {
        let name = user.name.isEmpty ? user.displayName : user.name
        return name.isEmpty ? "" : " as \(PromptPart.quoted(name))"
    }
}
