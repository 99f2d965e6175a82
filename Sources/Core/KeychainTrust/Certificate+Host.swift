import Glibc
import KeychainCertificates

extension CertificateContents {
    /// Whether the alternative names are for a host (RFC 9525). The common name is not asked, nor a malformed
    /// extension.
    func isFor(host: String) -> Bool {
        if let address = IPAddress(host) {
            return ipAddresses.contains { $0.elementsEqual(address.bytes) }
        }
        guard let name = HostName(host) else { return false }
        return dnsNames.contains { name.matches($0) }
    }
}

/// The bytes of an IP address that was written as text.
struct IPAddress {
    let bytes: [UInt8]

    init?(_ text: String) {
        var four = in_addr()
        var six = in6_addr()
        if unsafe inet_pton(AF_INET, text, &four) == 1 {
            bytes = unsafe withUnsafeBytes(of: four) { unsafe Array($0) }
        } else if unsafe inet_pton(AF_INET6, text, &six) == 1 {
            bytes = unsafe withUnsafeBytes(of: six) { unsafe Array($0) }
        } else {
            return nil
        }
    }
}

/// The name of a host, in the form that goes over the wire: ASCII labels.
struct HostName {
    private let labels: [String]

    /// - Returns: nil for what is no such name; international names have to be given in their ASCII form.
    init?(_ text: String) {
        guard let labels = Self.labels(of: text), labels.allSatisfy(Self.isLabel) else { return nil }
        self.labels = labels
    }

    /// Whether a name in a certificate is this one. A wildcard stands for one whole label, the first of at least three:
    /// no one owns all names of a top-level domain.
    func matches(_ pattern: String) -> Bool {
        guard let presented = Self.labels(of: pattern), presented.count == labels.count else { return false }
        guard presented.first == "*" else { return presented == labels }
        return presented.count > 2 && presented.dropFirst() == labels.dropFirst()
            && presented.dropFirst().allSatisfy(Self.isLabel)
    }

    /// The labels in lower case, without the dot that a whole name may end with.
    static func labels(of text: String) -> [String]? {
        guard text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else { return nil }
        let name = text.utf8.last == UInt8(ascii: ".") ? text.dropLast() : text[...]
        guard !name.isEmpty, name.utf8.count <= 253 else { return nil }
        return name.lowercased().split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    }

    private static func isLabel(_ label: String) -> Bool {
        !label.isEmpty && label.utf8.count <= 63
            && label.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"),
                    // Not allowed in names of hosts, and there all the same.
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}
