import CKeychainLinux
import Glibc
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
        guard let (path, state) = paths.lazy.compactMap({ path in FileState(path).map { (path, $0) } }).first else {
            return SystemAnchors([])
        }
        if let known = cache.withLock({ $0 }), known.path == path, known.state == state { return known.anchors }
        let anchors = SystemAnchors(PEMBundle.certificates(in: contents(of: path)))
        cache.withLock { $0 = Cached(path: path, state: state, anchors: anchors) }
        return anchors
    }

    private struct Cached {
        let path: String
        let state: FileState
        let anchors: SystemAnchors
    }

    private static let cache = Mutex<Cached?>(nil)

    /// The file is larger than this only if it is no list of anchors.
    private static let mostBytes = 16 << 20

    private static func contents(of path: String) -> [UInt8] {
        let descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return [] }
        defer { _ = close(descriptor) }
        var contents: [UInt8] = []
        var piece = [UInt8](repeating: 0, count: 1 << 16)
        while contents.count < mostBytes {
            let count = unsafe piece.withUnsafeMutableBytes { unsafe read(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            contents += piece.prefix(count)
        }
        return contents
    }
}

/// What tells whether a file was changed.
private struct FileState: Equatable {
    private let device: UInt
    private let inode: UInt
    private let size: Int
    private let seconds: Int
    private let nanoseconds: Int

    /// - Returns: nil for what is no file.
    init?(_ path: String) {
        var state = stat()
        guard unsafe stat(path, &state) == 0, state.st_mode & S_IFMT == S_IFREG else { return nil }
        device = UInt(state.st_dev)
        inode = UInt(state.st_ino)
        size = Int(state.st_size)
        seconds = state.st_mtim.tv_sec
        nanoseconds = state.st_mtim.tv_nsec
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
