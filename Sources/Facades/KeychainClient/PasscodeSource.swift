import Glibc
package import KeychainModel
package import LocalEnclave

/// Where the passcode of a keychain comes from that a program opens itself, where nobody is there to type it.
///
/// It is read whenever the keychain is opened, and not kept.
package enum PasscodeSource: Sendable {
    /// What `CHATELAINE_PASSCODE` says.
    case variable(SecretBytes)
    /// The file that `CHATELAINE_PASSCODE_FILE` names: it has to be there.
    case file(PasscodeFile)
    /// A credential of systemd's, if the program was given one; else the variable, if that says one.
    case credential(UnattendedPasscode, variable: SecretBytes?)

    /// Says the passcode of a keychain that `CHATELAINE_KEYCHAIN` names. For tests: every process of the user can read it.
    package static let variable = "CHATELAINE_PASSCODE"
    /// Names a file that has it.
    package static let fileVariable = "CHATELAINE_PASSCODE_FILE"

    /// The source that holds for this process.
    ///
    /// - Parameters:
    ///   - isNamed: whether `CHATELAINE_KEYCHAIN` names the keychain. A person's own gets no passcode from a variable.
    ///   - environment: what the process may believe of its environment.
    /// - Returns: nil where nothing gives the keychain a passcode.
    /// - Throws: `notAvailable` where a file is named in a way that it cannot be meant. Never nil then.
    static func choose(
        isNamed: Bool,
        environment: (String) -> String?
    ) throws(KeychainError) -> PasscodeSource? {
        let said = isNamed ? environment(variable).flatMap { $0.isEmpty ? nil : SecretBytes($0.utf8) } : nil
        if let path = environment(fileVariable) {
            guard path.hasPrefix("/") else {
                throw KeychainError(.notAvailable, "\(fileVariable) has to be the whole path of a file")
            }
            guard isNamed else {
                throw KeychainError(
                    .notAvailable,
                    "\(fileVariable) is for a keychain that \(KeychainLocation.variable) names, and that names none"
                )
            }
            guard said == nil else { throw twoSources(fileVariable) }
            return .file(PasscodeFile(path: path))
        }
        if let folder = environment("CREDENTIALS_DIRECTORY"), folder.hasPrefix("/") {
            return .credential(UnattendedPasscode(credentials: folder, of: geteuid()), variable: said)
        }
        return said.map { .variable($0) }
    }

    /// - Parameter warn: is told of a file that is taken, and should not be as it is.
    /// - Returns: nil where systemd was to give one, and gave none.
    /// - Throws: `notAvailable` for a file that is missing, or is not taken; and for two sources.
    func read(warn: (String) -> Void) throws(KeychainError) -> SecretBytes? {
        switch self {
        case .variable(let passcode): return passcode
        case .file(let file): return try file.read(warn: warn)
        case .credential(let credential, let said):
            let passcode = try credential.read()
            guard passcode == nil || said == nil else { throw Self.twoSources("the credential of systemd") }
            return passcode ?? said
        }
    }

    private static func twoSources(_ other: String) -> KeychainError {
        KeychainError(
            .notAvailable,
            "both \(variable) and \(other) say what the keychain's passcode is; leave one of them out"
        )
    }
}
