import Glibc
import KeychainModel
import KeychainSystem

/// A port of both loopback addresses. Browsers try ::1 before 127.0.0.1 for a name under localhost: if that were free, any
/// user could listen there and be taken for the pages.
final class LoopbackPort: Sendable {
    let number: Int
    /// Bound and never listening: who connects there is refused at once, and nobody else can bind it. Nil where the machine
    /// has no IPv6.
    private let holder: Descriptor?

    /// A port that is free on one address may be taken on the other.
    private static let tries = 16

    /// - Parameter wanted: 0 for a free one.
    /// - Throws: `notAvailable` where somebody has the port.
    init(_ wanted: Int) throws(KeychainError) {
        var held = try Self.hold(wanted)
        var tries = Self.tries
        while wanted == 0, held.1 != 0, tries > 0, !Self.isFree(held.1) {
            held = try Self.hold(0)
            tries -= 1
        }
        (holder, number) = held
    }

    /// Whether nobody has the port of 127.0.0.1.
    private static func isFree(_ port: Int) -> Bool {
        let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return true }
        let probe = Descriptor(owning: number)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        address.sin_addr = in_addr(s_addr: UInt32(0x7F00_0001).bigEndian)
        return probe.withNumber { number in
            unsafe withUnsafePointer(to: &address) { pointer in
                unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    unsafe bind(number, pointer, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
                }
            }
        }
    }

    private static func hold(_ wanted: Int) throws(KeychainError) -> (Descriptor?, Int) {
        let number = socket(AF_INET6, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        guard number >= 0 else { return (nil, wanted) }
        let holder = Descriptor(owning: number)
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = UInt16(truncatingIfNeeded: wanted).bigEndian
        address.sin6_addr = in6addr_loopback
        var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
        let result = unsafe withUnsafeMutablePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                guard unsafe bind(number, pointer, size) == 0 else { return errno }
                return unsafe getsockname(number, pointer, &size) == 0 ? 0 : errno
            }
        }
        switch result {
        case 0: return (holder, Int(UInt16(bigEndian: address.sin6_port)))
        // The machine has IPv6, and no address of it.
        case EADDRNOTAVAIL, EAFNOSUPPORT: return (nil, wanted)
        default:
            throw KeychainError(.notAvailable, "port \(wanted) of ::1 is taken: choose another one")
        }
    }
}
