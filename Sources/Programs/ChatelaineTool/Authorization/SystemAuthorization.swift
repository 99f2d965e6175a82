import CKeychainLinux
import EnclaveInterface
import Glibc
import KeychainSystem
import Terminal

/// Has the system authenticate the person who types a command, where being one of their programs does not authorize it:
/// a helper that runs as root does it, by polkit or by PAM, and has the enclave give a token.
struct SystemAuthorization {
    private let helper: String
    /// What starts the helper and asks for the person; nil where the helper, which is set-user-ID root, does it itself.
    private let starter: String?

    /// What a command needs before it asks for what root alone, or the person, may do.
    ///
    /// - Parameter alternative: what root runs instead, with the option `--uid`.
    /// - Returns: nil where nothing keeps programs apart, or the caller is root.
    /// - Throws: a failure where the system cannot ask, before the person has typed anything.
    static func ifNeeded(
        in state: EnclaveState,
        orAsRoot alternative: String = "passcode set"
    ) throws -> SystemAuthorization? {
        guard state.keepsProgramsApart, geteuid() != 0 else { return nil }
        return try SystemAuthorization(orAsRoot: alternative)
    }

    private init(orAsRoot alternative: String) throws {
        guard let path = Self.helperPath() else { throw Failure("where this program is cannot be told") }
        helper = path
        // Only by its path: the program that starts this command has chosen its environment.
        let hasPolkit = [Self.pkexec, Self.policy].allSatisfy { Self.isOfRoot($0) != nil }
        starter = hasPolkit ? Self.pkexec : nil
        guard let mode = Self.isOfRoot(path), hasPolkit || mode & S_ISUID != 0 else {
            throw Failure(
                """
                being one of your programs is not enough for this. Root is asked for nothing (sudo chatelaine \(alternative) \
                --uid \(getuid())), a log-in with pam_chatelaine confirms the passcode, or the system authenticates you, by \
                polkit or PAM: for that \(path) has to be installed, and root's
                """
            )
        }
    }

    private static let pkexec = "/usr/bin/pkexec"
    private static let policy = "/usr/share/polkit-1/actions/org.chatelaine.policy"

    /// Beside the folder that this program is installed in.
    private static func helperPath() -> String? {
        guard let folder = OwnProgram.folder else { return nil }
        let prefix = Folder.path(of: folder)
        return (prefix == "/" ? "" : prefix) + "/libexec/chatelaine/chatelaine-authorize"
    }

    /// The mode of a file that only root can write to.
    private static func isOfRoot(_ path: String) -> mode_t? {
        let stamp = (try? FileStamp(path: path, followingLinks: true)) ?? nil
        guard let stamp, stamp.isFile, stamp.owner == 0, !stamp.isWritableToOthers else { return nil }
        return stamp.mode
    }

    // MARK: - Asking

    /// Asks for one thing. The token is good for a minute: it is asked for when all else is there.
    func token(for operation: GuardedOperation) throws -> AuthorizationToken {
        var (status, output) = try runHelper(for: operation)
        defer { Self.wipe(&output) }
        switch (status, starter) {
        case (0, _):
            guard let token = Self.token(hexadecimal: output) else {
                throw Failure("\(helper) gave no token; nothing was done")
            }
            return token
        case (126, .some): throw Failure("nobody has authenticated; nothing was done")
        case (127, .some): throw Failure("the system has not authorized it; nothing was done")
        // The helper has said why.
        case (1, _): throw Failure("the system has not allowed it; nothing was done")
        default: throw Failure("\(helper) failed; nothing was done")
        }
    }

    private func runHelper(for operation: GuardedOperation) throws -> (status: Int32, output: [UInt8]) {
        guard let starter else { return try run([helper, operation.name]) }
        let agent = TerminalAgent()
        let outcome = Result { try run([starter, "--disable-internal-agent", helper, operation.name]) }
        // It is there for as long as polkit may ask.
        _ = consume agent
        return try outcome.get()
    }

    /// 64 digits and a newline.
    static func token(hexadecimal line: [UInt8]) -> AuthorizationToken? {
        guard line.count == Self.lineSize, line.last == UInt8(ascii: "\n") else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(AuthorizationToken.size)
        for start in stride(from: 0, to: line.count - 1, by: 2) {
            guard let high = digit(line[start]), let low = digit(line[start + 1]) else { return nil }
            bytes.append(high << 4 | low)
        }
        return AuthorizationToken(bytes)
    }

    private static let lineSize = 2 * AuthorizationToken.size + 1

    private static func digit(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): character - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func wipe(_ bytes: inout [UInt8]) {
        unsafe bytes.withUnsafeMutableBytes { buffer in
            if let base = buffer.baseAddress { unsafe clinux_zero(base, buffer.count) }
        }
    }

    /// Runs a program with the terminal and standard error that this one has.
    private func run(_ words: [String]) throws -> (status: Int32, output: [UInt8]) {
        let (child, output) = try start(words)
        switch ChildProgram.wait(for: child) {
        case .status(let status): return (status, output)
        case .signal: return (-1, output)
        // This process was started with SIGCHLD ignored: what the helper has said has to do.
        case .unknown: return (0, output)
        }
    }

    /// Starts a program, and takes one byte more than a token's line of what it says. Whatever it says after that ends it:
    /// nobody reads on.
    private func start(_ words: [String]) throws -> (child: Int32, output: [UInt8]) {
        let (reader, writer) = try Descriptor.pipe()
        let child = try ChildProgram.start(
            words[0],
            Array(words.dropFirst()),
            // What is piped into the command is the command's: the passcodes of --stdin.
            input: isatty(STDIN_FILENO) == 0 ? .nothing : .own,
            output: consume writer
        )
        // Read in place, so that no copy of a token is left.
        var output = [UInt8](repeating: 0, count: Self.lineSize + 1)
        let count = unsafe output.withUnsafeMutableBytes { room in (try? unsafe reader.fill(room)) ?? 0 }
        output.removeLast(output.count - count)
        return (child, output)
    }
}

extension GuardedOperation {
    /// As the helper is told it.
    fileprivate var name: String {
        switch self {
        case .backup: "backup"
        case .restore: "restore"
        case .export: "export"
        case .rotateKeys: "rotate-keys"
        case .setPasscode: "set-passcode"
        case .removePasscode: "remove-passcode"
        case .confirmPasscode: "confirm-passcode"
        case .changeSettings: "change-settings"
        case .synchronize: "synchronize"
        }
    }
}
