package import Foundation
package import KeychainModel
import KeychainTrailer

/// The entitlements of this process's own program, as the program itself may read them.
///
/// Of a signed program they are those of its signature. With the service they are what it has verified: a program whose
/// signature it refuses, or gives nothing for, has none. Without one, or where it does not answer, the program reads them
/// unverified, and grants itself nothing by that. Of other programs they are what an embedded keychain goes by. The service
/// grants an unsigned program nothing for a file beside it, so with the service such a program has none.
package struct OwnEntitlements: Sendable {
    /// An XML property list that `Entitlements` understands; nil for none.
    package let propertyList: Data?
    /// What the program is called; nil for an unsigned program with the service.
    package let identifier: String?
    private let entitlements: Entitlements

    /// - Parameter identifier: what the program is called where its entitlements do not say it.
    /// - Throws: `missingEntitlement` for a list that cannot be understood.
    package init(propertyList: Data?, identifier: String?) throws(KeychainError) {
        try self.init(propertyList: propertyList, identifier: identifier, isSigned: true)
    }

    /// - Parameter isSigned: whether the list is taken as it is; else `CHATELAINE_TEAM` counts.
    private init(propertyList: Data?, identifier: String?, isSigned: Bool) throws(KeychainError) {
        self.propertyList = propertyList
        let read =
            try propertyList.map { list throws(KeychainError) in
                try Entitlements(propertyList: list)
            } ?? Entitlements()
        entitlements = isSigned || propertyList == nil ? read : try ProcessIdentity.completed(read)
        guard let named = entitlements.applicationIdentifier else {
            self.identifier = identifier
            return
        }
        // Apple's signing identifiers have no team before them, which application identifiers have.
        let own = entitlements.expanded(named, identifier: identifier ?? "")
        let prefix = (entitlements.teamIdentifier ?? "") + "."
        self.identifier = prefix != "." && own.hasPrefix(prefix) ? String(own.dropFirst(prefix.count)) : own
    }

    /// A text among the values, with what Xcode fills in when it signs.
    package func expanded(_ text: String) -> String {
        entitlements.expanded(text, identifier: identifier ?? "")
    }

    /// Those of this process.
    ///
    /// - Throws: `missingEntitlement` for a list that cannot be understood, and for a signature that the service refuses;
    ///   `undecodable` for a damaged signature; otherwise where the program's file cannot be read, or no keychain can be
    ///   told.
    package static func ofThisProcess() throws(KeychainError) -> OwnEntitlements {
        switch try ProgramTrailer.endingOfOwnProgram() {
        case .trailer(let trailer):
            let isWorthNothing = try isUnsignedToService()
            return try OwnEntitlements(
                propertyList: isWorthNothing ? nil : Data(trailer.entitlements),
                identifier: nil
            )
        case .faulty:
            throw KeychainError(.undecodable, "the program's signature is damaged")
        case .none: break
        }
        if case .service = try KeychainLocation.current() {
            return try OwnEntitlements(propertyList: nil, identifier: nil)
        }
        return try OwnEntitlements(
            propertyList: ProcessIdentity.entitlementsFile(),
            identifier: ProcessIdentity.identifier,
            isSigned: false
        )
    }

    /// Whether there is a service that has looked at this process and takes it for an unsigned program.
    ///
    /// - Throws: `missingEntitlement` where it refuses the signature.
    private static func isUnsignedToService() throws(KeychainError) -> Bool {
        guard case .service = try KeychainLocation.current() else { return false }
        do throws(KeychainError) {
            return try CurrentKeychain.presence().takesCallerForUnsigned()
        } catch {
            // A service that is not there knows nothing.
            guard error.code == .missingEntitlement else { return false }
            throw error
        }
    }
}
