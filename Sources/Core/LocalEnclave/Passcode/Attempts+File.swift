import Crypto
import EnclaveDesk
import KeychainModel

/// The wrong passcodes since the last right one, in a file.
///
/// The file has 72 bytes: `CHat`, the version 1, three zero bytes, their number (4), four zero bytes, the identity of
/// the machine's start (16), the time since it (8, nanoseconds) at which the waiting began, and HMAC-SHA-256 of all
/// that.
extension Attempts {
    static let fileSize = 72
    private static let header: [UInt8] = Array("CHat".utf8) + [1, 0, 0, 0]

    /// So many that the longest waiting follows: what a damaged file counts as.
    private static let many: UInt32 = 100

    /// - Parameter clock: what the file is read at: after another start of the machine the waiting begins anew.
    init(file: [UInt8]?, code key: SymmetricKey, at clock: StartClock) {
        guard let file else {
            self = .none
            return
        }
        var reader = FieldReader(file.dropLast(32).dropFirst(Self.header.count))
        guard file.count == Self.fileSize, file.starts(with: Self.header),
            HMAC<SHA256>.isValidAuthenticationCode(
                Array(file.suffix(32)),
                authenticating: file.dropLast(32),
                using: key
            ),
            let count: UInt32 = try? reader.number(4), (try? reader.bytes(4)) != nil,
            let start = try? reader.bytes(16), let armed: UInt64 = try? reader.number(8)
        else {
            self.init(count: Self.many, armed: clock.now, isRearmed: true)
            return
        }
        let isOld = count > 0 && (start != clock.start || armed > clock.now)
        self.init(count: count, armed: isOld ? clock.now : armed, isRearmed: isOld)
    }

    func file(code key: SymmetricKey, at clock: StartClock) -> [UInt8] {
        let body = Self.header + count.bigEndianBytes + [0, 0, 0, 0] + clock.start + armed.bigEndianBytes
        return body + Array(HMAC<SHA256>.authenticationCode(for: body, using: key))
    }
}
