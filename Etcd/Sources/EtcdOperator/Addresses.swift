import EtcdTransport
import Glibc

package enum Addresses {
    /// The 4 or 16 bytes of an address.
    static func bytes(of text: String) throws(EtcdFailure) -> [UInt8] {
        for (family, size) in [(AF_INET, 4), (AF_INET6, 16)] {
            var bytes = [UInt8](repeating: 0, count: size)
            if unsafe inet_pton(family, text, &bytes) == 1 { return bytes }
        }
        throw EtcdFailure(.other, "\(text) is no address")
    }

    /// A host as it stands in a URL.
    static func inURL(_ host: String) -> String { host.contains(":") ? "[\(host)]" : host }
}
