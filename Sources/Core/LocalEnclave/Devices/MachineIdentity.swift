import Glibc
import KeychainSystem

/// The identity that a system got when it was installed (machine-id(5)).
///
/// It is no secret to the machine's own programs. It tells a folder that was copied to another machine, and nothing else.
package struct MachineIdentity: Sendable, Equatable {
    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// Nil where the system has none yet, as images have that were never started.
    package static var current: MachineIdentity? { MachineIdentity(file: "/etc/machine-id") }

    package init?(file path: String) {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK), let text = try? file.prefix(33),
            text.count == 32 || (text.count == 33 && text.last == UInt8(ascii: "\n"))
        else { return nil }
        let digits = text.prefix(32).compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 32, digits.contains(where: { $0 != 0 }) else { return nil }
        bytes = stride(from: 0, to: 32, by: 2).map { UInt8(truncatingIfNeeded: digits[$0] << 4 | digits[$0 + 1]) }
    }
}
