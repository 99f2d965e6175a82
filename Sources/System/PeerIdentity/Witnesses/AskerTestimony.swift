import CKeychainLinux
import Glibc
import KeychainSystem

/// Tells the enclave which program has connected to the keychain service, over a connection of chatelaine-identify's own.
///
/// The one message and its answer are written here by hand (docs/formats/enclave-messages.md): no code of the keychain's is
/// to be in a process that has capabilities.
package struct AskerTestimony: Sendable {
    /// Where the enclave takes connections of owners.
    package let enclave: String
    /// That of installed programs.
    package let markerGroup: UInt32

    package init(enclave: String, markerGroup: UInt32) {
        self.enclave = enclave
        self.markerGroup = markerGroup
    }

    package static let voucherSize = 16
    /// In bytes.
    static let longestPath = 256
    /// In seconds, for each step: the service waits no longer.
    private static let patience = 2

    /// - Parameters:
    ///   - client: the service's end of its connection with the process.
    ///   - path: where the process's executable lies, as far as that can be told.
    /// - Returns: the voucher, which the enclave has; nil where it has not taken it.
    func give(about client: Int32, _ facts: ProcessFacts, path: String) -> [UInt8]? {
        var connection: UInt64 = 0
        guard unsafe clinux_socket_cookie(client, &connection) else { return nil }
        var random = SystemRandomNumberGenerator()
        let voucher = (0..<Self.voucherSize).map { _ in UInt8.random(in: .min ... .max, using: &random) }
        let message = Self.message(
            voucher: voucher,
            uid: facts.uids.effective,
            pid: facts.pid,
            isInstalled: facts.isInstalled(markerGroup: markerGroup),
            connection: connection,
            path: path
        )
        return deliver(message) ? voucher : nil
    }

    /// The request `vouch`.
    package static func message(
        voucher: [UInt8],
        uid: UInt32,
        pid: Int32,
        isInstalled: Bool,
        connection: UInt64,
        path: String
    ) -> [UInt8] {
        let path = prefix(of: path)
        return [version, vouchKind, 0, 0] + bytes(identifier) + bytes(uid) + voucher
            + bytes(UInt32(bitPattern: pid)) + [isInstalled ? 1 : 0] + bytes(connection)
            + bytes(UInt16(clamping: path.count)) + path
    }

    private static let version: UInt8 = 1
    private static let vouchKind: UInt8 = 104
    private static let doneKind: UInt8 = 128
    private static let identifier: UInt32 = 1

    private static func bytes(_ number: some FixedWidthInteger & UnsignedInteger) -> [UInt8] {
        stride(from: number.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: number >> $0) }
    }

    /// In whole scalars.
    private static func prefix(of path: String) -> [UInt8] {
        var prefix: [UInt8] = []
        for scalar in path.unicodeScalars {
            let bytes = Array(String(scalar).utf8)
            guard prefix.count + bytes.count <= longestPath else { break }
            prefix += bytes
        }
        return prefix
    }

    private func deliver(_ message: [UInt8]) -> Bool {
        let number = clinux_packet_socket()
        guard number >= 0 else { return false }
        let socket = Descriptor(owning: number)
        var limit = timeval(tv_sec: Self.patience, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            let size = socklen_t(MemoryLayout<timeval>.size)
            guard unsafe setsockopt(number, SOL_SOCKET, option, &limit, size) == 0 else { return false }
        }
        guard unsafe clinux_connect_path(number, enclave) == 0,
            unsafe clinux_send(number, message, message.count, nil, 0, 0) == message.count
        else { return false }
        var answer = [UInt8](repeating: 0, count: 64)
        let count = unsafe recv(socket.number, &answer, answer.count, 0)
        let expected = [Self.version, Self.doneKind, 0, 0] + Self.bytes(Self.identifier)
        return count >= expected.count && answer.starts(with: expected)
    }
}
