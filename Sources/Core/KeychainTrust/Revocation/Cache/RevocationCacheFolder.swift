import Glibc
import KeychainSystem

/// The folder of the cache: nobody else's, and open to nobody else.
struct RevocationCacheFolder: Sendable {
    let path: String

    /// Opens it.
    ///
    /// - Returns: nil if it is not there, or is not the caller's.
    func opened() -> OpenRevocationCacheFolder? {
        let parts = parts
        guard let base = Self.open(parts.base) else { return nil }
        return base.subfolder(parts.own)
    }

    /// Opens it, and makes it before that if it is not there.
    func made() -> OpenRevocationCacheFolder? {
        let parts = parts
        // The folder of all caches is made as the XDG specification asks; what it is in has to be there.
        _ = unsafe mkdir(parts.base, 0o700)
        guard let base = Self.open(parts.base) else { return nil }
        return base.subfolder(parts.own, making: true)
    }

    /// The folder that others use as well, and what is ours below it.
    private var parts: (base: String, own: [String]) {
        let names = path.split(separator: "/").map(String.init)
        return ("/" + names.dropLast(2).joined(separator: "/"), names.suffix(2))
    }

    /// The user may have put a link in the place of this one.
    private static func open(_ path: String) -> OpenRevocationCacheFolder? {
        (try? Descriptor(opening: path, O_RDONLY | O_DIRECTORY)).map(OpenRevocationCacheFolder.init)
    }
}
