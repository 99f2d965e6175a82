import CKeychainLinux
import EnclaveInterface
import Glibc

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
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = unsafe buffer.withUnsafeMutableBytes { bytes in
            guard let base = bytes.baseAddress else { return -1 }
            return unsafe readlink("/proc/self/exe", base, bytes.count)
        }
        guard count > 0, let own = String(validating: buffer.prefix(count), as: UTF8.self) else { return nil }
        let prefix = own.split(separator: "/", omittingEmptySubsequences: false).dropLast(2).joined(separator: "/")
        return prefix + "/libexec/chatelaine/chatelaine-authorize"
    }

    /// The mode of a file that only root can write to.
    private static func isOfRoot(_ path: String) -> mode_t? {
        var status = stat()
        guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == 0,
            status.st_mode & 0o022 == 0
        else { return nil }
        return status.st_mode
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
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw Failure("no pipe can be made for \(helper)") }
        defer { for end in ends where end >= 0 { close(end) } }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        var actions = unsafe posix_spawn_file_actions_t()
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)
        // What is piped into the command is the command's: the passcodes of --stdin.
        if isatty(STDIN_FILENO) == 0 {
            unsafe posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        }
        var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
        defer { unsafe arguments.forEach { unsafe free($0) } }
        var child: pid_t = 0
        let result = unsafe posix_spawn(&child, words[0], &actions, nil, &arguments, environ)
        guard result == 0 else { throw Failure("\(words[0]) cannot be started") }
        close(ends[1])
        ends[1] = -1
        let output = Self.read(ends[0])
        close(ends[0])
        ends[0] = -1
        var status: Int32 = 0
        while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
        // Ended by itself, or by a signal.
        return (status & 0x7f == 0 ? (status >> 8) & 0xff : -1, output)
    }

    /// What is there, up to one byte more than a token's line.
    private static func read(_ descriptor: Int32) -> [UInt8] {
        var line = [UInt8](repeating: 0, count: lineSize + 1)
        var count = 0
        while count < line.count {
            let size = line.count - count
            let got = unsafe line.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return 0 }
                return unsafe Glibc.read(descriptor, base + count, size)
            }
            if got < 0 && errno == EINTR { continue }
            guard got > 0 else { break }
            count += got
        }
        line.removeLast(line.count - count)
        return line
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
        }
    }
}
