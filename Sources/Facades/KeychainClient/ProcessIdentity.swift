import Foundation
package import KeychainModel
import KeychainSystem
import KeychainTrailer
import Logging
import Synchronization

/// The identity that this process claims in embedded mode. It cannot be checked, since a process that opens the files
/// can read them.
package enum ProcessIdentity {
    private static let declared = Mutex<Caller?>(nil)
    private static let derived = Mutex<Result<Caller, KeychainError>?>(nil)

    /// A program's own word, which comes before any file. Used by commands that look after all groups.
    package static func declare(_ caller: Caller) {
        declared.withLock { $0 = caller }
    }

    /// The process's name and groups: from the file in `CHATELAINE_ENTITLEMENTS`, else from `PROGRAM.entitlements`
    /// beside the executable, else from its bundle identifier or its name. Without a file any group may be named.
    ///
    /// - Throws: `missingEntitlement` for a file that is there and cannot be understood, and for an invalid team.
    package static func current() throws(KeychainError) -> Caller {
        if let caller = declared.withLock({ $0 }) { return caller }
        return try derived.withLock { cache in
            if let result = cache { return result }
            let result = Result { () throws(KeychainError) in try derive() }
            cache = result
            return result
        }.get()
    }

    private static func derive() throws(KeychainError) -> Caller {
        let identifier = identifier
        guard let list = try entitlementsFile() else {
            let own = Entitlements().groups(identifier: identifier)
            return Caller(name: identifier, groups: own.acceptingAnyName, ownGroup: identifier)
        }
        let entitlements = try completed(Entitlements(propertyList: list))
        return Caller(
            name: identifier,
            groups: entitlements.groups(identifier: identifier),
            ownGroup: entitlements.ownGroup(identifier: identifier)
        )
    }

    /// What the process is called where its entitlements do not say it. The `Info.plist` of an Xcode project may have a
    /// variable in the place of the identifier, which says nothing.
    static var identifier: String {
        guard let named = Bundle.main.bundleIdentifier else { return name(of: executablePath()) }
        guard named.contains("$(") else { return named }
        warnings.reportOnce(missingIdentifier)
        return name(of: executablePath())
    }

    private static let warnings = FailureReport(log: KeychainLog.keychain, level: .warning)
    private static let missingTeam = """
        the entitlements have $(AppIdentifierPrefix), and neither they nor CHATELAINE_TEAM say which team that is: the \
        groups have nothing in its place
        """
    private static let missingIdentifier = """
        CFBundleIdentifier in Info.plist is a variable of Xcode's: the program goes by its own name. Write the identifier \
        out
        """

    /// Entitlements that are not signed, with the team that `CHATELAINE_TEAM` names where they name none.
    ///
    /// - Throws: `missingEntitlement` for an invalid team.
    static func completed(_ entitlements: Entitlements) throws(KeychainError) -> Entitlements {
        guard let text = Environment["CHATELAINE_TEAM"], !text.isEmpty else {
            if entitlements.lacksTeam { warnings.reportOnce(missingTeam) }
            return entitlements
        }
        // It may be written as the prefix that it becomes.
        let team = text.hasSuffix(".") ? String(text.dropLast()) : text
        guard (1...ProgramTrailer.largestTeam).contains(team.utf8.count), team.utf8.allSatisfy(ProgramTrailer.isInTeam)
        else {
            throw KeychainError(
                .missingEntitlement,
                "CHATELAINE_TEAM is no team's identifier, which has capital letters and digits"
            )
        }
        return entitlements.completed(team: team)
    }

    /// The property list that says what the entitlements are; nil where no file does. It is not checked.
    static func entitlementsFile() throws(KeychainError) -> Data? {
        if let path = Environment["CHATELAINE_ENTITLEMENTS"], !path.isEmpty {
            guard let contents = FileManager.default.contents(atPath: path) else {
                throw KeychainError(.missingEntitlement, "the file that CHATELAINE_ENTITLEMENTS names cannot be read")
            }
            return contents
        }
        return FileManager.default.contents(atPath: executablePath() + ".entitlements")
    }

    private static func executablePath() -> String {
        let path = OwnProgram.path ?? "/program"
        // The kernel says so of an executable that was replaced while it ran.
        let suffix = " (deleted)"
        return path.hasSuffix(suffix) ? String(path.dropLast(suffix.count)) : path
    }

    private static func name(of executable: String) -> String {
        executable.split(separator: "/").last.map(String.init) ?? "program"
    }
}
