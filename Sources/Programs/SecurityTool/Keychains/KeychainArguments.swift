import ArgumentParser
import CoreFoundationAliases
import Security
import Terminal

/// The keychains of a Mac's command line.
struct KeychainArguments: ParsableArguments {
    @Argument(
        help: "The keychains: a name, a path, or login. Without any, those of list-keychains, or default-keychain's.",
        completion: .file()
    )
    var keychains: [String] = []

    /// Has what follows use the keychain that is named, or else the default one.
    ///
    /// - Throws: `errSecNoSuchKeychain`; `errSecReadOnly` for the system's anchors.
    func selectOne(for call: String) throws(Failure) {
        try KeychainArguments.select(keychains.first, for: call)
        // A second one is a mistake, or a value without quotes.
        for name in keychains.dropFirst() { _ = try NamedKeychain(name, for: call) }
    }

    /// The same for a command that names its keychain by an option.
    static func select(_ name: String?, for call: String) throws(Failure) {
        let chosen: NamedKeychain =
            if let name { try NamedKeychain(name, for: call) } else { try SearchList.current().first }
        guard chosen != .anchors else {
            throw Failure("\(call) \(TerminalText.escaped(name ?? "System.keychain"))", errSecReadOnly)
        }
        if case .other(let folder) = chosen, !NamedKeychain.isKeychain(folder) {
            // Of the list: it was there, and is not made anew.
            throw Failure(call, errSecNoSuchKeychain)
        }
        chosen.select()
    }

    /// The keychains to search, in their order. Those of the list that are not there any more are passed over.
    func searched(for call: String) throws(Failure) -> [NamedKeychain] {
        guard keychains.isEmpty else {
            var named: [NamedKeychain] = []
            for name in keychains { named.append(try NamedKeychain(name, for: call)) }
            return named
        }
        return try SearchList.current().present
    }

    /// What one keychain after the other gives, each of which the calls of the body use. The system's anchors give nothing.
    ///
    /// - Throws: what one of them refuses: a part of what there is would be taken for all.
    func search<Value>(_ body: () throws(Failure) -> [Value]) throws(Failure) -> [Value] {
        var found: [Value] = []
        for keychain in try searched(for: Failure.Operation.search.rawValue) where keychain != .anchors {
            keychain.select()
            found += try body()
        }
        NamedKeychain.login.select()
        return found
    }

    /// The first item that matches, in the first keychain that has one. The calls that follow use that keychain.
    func first(_ search: ItemSearch) throws(Failure) -> KeychainItem {
        var failure: Failure?
        for keychain in try searched(for: Failure.Operation.search.rawValue) where keychain != .anchors {
            keychain.select()
            do throws(Failure) {
                if let item = try search.all().first { return item }
            } catch {
                failure = failure ?? error
            }
        }
        throw failure ?? Failure(.search, errSecItemNotFound)
    }
}
