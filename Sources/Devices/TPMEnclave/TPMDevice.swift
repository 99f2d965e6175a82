import CTPM
import Glibc
import Synchronization

/// One TPM, for all threads of the process. It is opened at the first use, and kept.
@safe
package final class TPMDevice: Sendable {
    package let setting: TPMSetting
    private let timeout: Int32
    private let connection = Mutex(Connection())

    /// For each command. Commands of TPMs take less than two seconds, but for the making of RSA keys.
    package static let standardTimeout: Int32 = 15_000

    /// - Parameter timeout: for the answer to one command, in milliseconds.
    package init(_ setting: TPMSetting, timeout: Int32 = standardTimeout) {
        self.setting = setting
        self.timeout = timeout
    }

    @safe
    private struct Connection: ~Copyable {
        /// Owned by this object and used under its lock alone.
        var pointer: OpaquePointer?
        var isSettled = false

        deinit { unsafe ctpm_close(pointer) }
    }

    /// For people.
    package var place: String {
        switch setting {
        case .automatic: TPMSetting.standardDevice
        case .none: "nowhere"
        case .device(let path), .socket(let path): path
        }
    }

    /// Whether a TPM is to be looked for, and something is there. It need not answer.
    package var isThere: Bool {
        if case .none = setting { return false }
        let held = connection.withLock { connection in
            connection.isSettled ? unsafe connection.pointer != nil : nil
        }
        return held ?? (unsafe access(place, F_OK) == 0)
    }

    /// Whether its connection broke after `settle`, so that only another start of the process brings it back.
    package var isLost: Bool {
        connection.withLock { connection in
            guard connection.isSettled, let pointer = unsafe connection.pointer else { return false }
            return unsafe ctpm_is_broken(pointer)
        }
    }

    // MARK: - Using it

    /// Opens it, and has the libraries do once all that they do, so that a process can give up opening files afterwards.
    ///
    /// From then on nothing is opened: a connection that breaks stays so until the process is started anew (`isLost`).
    package func settle() throws(TPMFailure) {
        defer { connection.withLock { $0.isSettled = true } }
        try withSession { (session, _) throws(TPMFailure) in _ = try session.random() }
        _ = try properties()
    }

    /// Runs something with a session whose parameters are encrypted.
    ///
    /// - Parameter root: the name that the storage root key has to have; nil for any. The body is told the one it has.
    /// - Throws: `otherSeed` where it is another one.
    package func withSession<Result: Sendable>(
        root expected: [UInt8]? = nil,
        _ body: @Sendable (borrowing TPMSession, [UInt8]) throws(TPMFailure) -> Result
    ) throws(TPMFailure) -> Result {
        try unsafe withConnection { (pointer) throws(TPMFailure) in
            var name = [UInt8](repeating: 0, count: Int(CTPM_NAME_SIZE))
            if let expected, expected.count != name.count { throw TPMFailure(.failed) }
            let status = unsafe ctpm_begin(pointer, expected, &name)
            if let failure = unsafe TPMFailure(status, code: ctpm_last_code(pointer)) { throw failure }
            defer { unsafe ctpm_end(pointer) }
            return try body(unsafe TPMSession(pointer), name)
        }
    }

    /// Looks without a session: what is asked is no secret.
    package func look<Result: Sendable>(
        _ body: @Sendable (borrowing TPMSession) throws(TPMFailure) -> Result
    ) throws(TPMFailure) -> Result {
        try unsafe withConnection { (pointer) throws(TPMFailure) in try body(unsafe TPMSession(pointer)) }
    }

    package func properties() throws(TPMFailure) -> TPMProperties {
        try look { (session) throws(TPMFailure) in try session.properties() }
    }

    private func withConnection<Result: Sendable>(
        _ body: @Sendable (OpaquePointer) throws(TPMFailure) -> Result
    ) throws(TPMFailure) -> Result {
        // What a lock's body throws loses its type.
        let outcome: Swift.Result<Result, TPMFailure> = connection.withLock { connection in
            Swift.Result { () throws(TPMFailure) in unsafe try body(open(&connection)) }
        }
        return try outcome.get()
    }

    private func open(_ connection: inout Connection) throws(TPMFailure) -> OpaquePointer {
        if let pointer = unsafe connection.pointer {
            guard unsafe ctpm_is_broken(pointer) else { return unsafe pointer }
            if connection.isSettled { throw TPMFailure(.gone) }
            unsafe ctpm_close(pointer)
            unsafe connection.pointer = nil
        }
        if connection.isSettled { throw TPMFailure(.gone) }
        if case .none = setting { throw TPMFailure(.absent) }
        let isSocket = if case .socket = setting { true } else { false }
        var pointer: OpaquePointer?
        if let failure = unsafe TPMFailure(ctpm_open(place, isSocket, timeout, &pointer), code: 0) { throw failure }
        guard let pointer = unsafe pointer else { throw TPMFailure(.failed) }
        unsafe connection.pointer = pointer
        return unsafe pointer
    }
}
