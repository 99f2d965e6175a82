import CKeychainLinux
import Glibc
import KeychainSystem
import SwiftASN1
import Synchronization

/// The certificates that this system trusts, from the file in which distributions collect them.
package struct SystemAnchors: Sendable {
    /// As DER bytes, in the order of the file.
    package let certificates: [[UInt8]]
    let trusted: TrustAnchors

    package init(_ certificates: [[UInt8]]) {
        self.certificates = certificates
        trusted = .only(certificates)
    }

    /// Where distributions keep them, the first that is there: Debian and its kin, then Fedora and its kin.
    private static let files = ["/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"]

    /// The variable that names another file, as OpenSSL has it. It is not asked where the program runs with other
    /// rights than its caller's.
    private static let variable = "SSL_CERT_FILE"

    /// Other anchors for the current task, so that tests have some.
    @TaskLocal package static var override: SystemAnchors?

    /// The anchors as the file has them now. It is read again only when it was changed.
    ///
    /// - Returns: none where the file cannot be read. Another than the one that was asked for never takes its place.
    package static func current() -> SystemAnchors {
        if let override { return override }
        let named = unsafe clinux_environment(variable).map { unsafe String(cString: $0) } ?? ""
        let paths = named.isEmpty ? files : [named]
        guard let (path, state) = paths.lazy.compactMap({ path in state(of: path).map { (path, $0) } }).first else {
            return SystemAnchors([])
        }
        if let known = cache.withLock({ $0 }), known.path == path, known.state == state { return known.anchors }
        let anchors = SystemAnchors(PEMBundle.certificates(in: contents(of: path)))
        cache.withLock { $0 = Cached(path: path, state: state, anchors: anchors) }
        return anchors
    }

    private struct Cached {
        let path: String
        let state: FileStamp
        let anchors: SystemAnchors
    }

    /// Nil for what is no file.
    private static func state(of path: String) -> FileStamp? {
        guard let stamp = (try? FileStamp(path: path, followingLinks: true)) ?? nil, stamp.isFile else { return nil }
        return stamp
    }

    private static let cache = Mutex<Cached?>(nil)

    /// The file is larger than this only if it is no list of anchors.
    private static let mostBytes = 16 << 20

    private static func contents(of path: String) -> [UInt8] {
        guard let file = try? Descriptor(opening: path, O_RDONLY | O_NONBLOCK) else { return [] }
        return (try? file.prefix(mostBytes)) ?? []
    }
}

/// Certificates in text form (RFC 7468).
enum PEMBundle {
    /// The others count even if one cannot be read.
    static func certificates(in bytes: [UInt8]) -> [[UInt8]] {
        let text = String(decoding: bytes, as: UTF8.self)
        var certificates: [[UInt8]] = []
        for part in text.components(between: "-----BEGIN CERTIFICATE-----", and: "-----END CERTIFICATE-----") {
            let document = "-----BEGIN CERTIFICATE-----\n\(part)\n-----END CERTIFICATE-----"
            if let document = try? PEMDocument(pemString: document) { certificates.append(document.derBytes) }
        }
        return certificates
    }
}

extension String {
    /// The lines between two lines, wherever both are.
    fileprivate func components(between first: String, and last: String) -> [String] {
        var components: [String] = []
        var current: [Substring]?
        for line in split(whereSeparator: \.isNewline) {
            let trimmed = line.trimmingSpaces
            if trimmed == first {
                current = []
            } else if trimmed == last {
                if let current { components.append(current.joined(separator: "\n")) }
                current = nil
            } else {
                current?.append(trimmed)
            }
        }
        return components
    }
}

extension Substring {
    fileprivate var trimmingSpaces: Substring {
        var text = self
        while text.last?.isWhitespace == true { text = text.dropLast() }
        while text.first?.isWhitespace == true { text = text.dropFirst() }
        return text
    }
}
