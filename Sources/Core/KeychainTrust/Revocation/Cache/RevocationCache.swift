import CKeychainLinux

/// Keeps answers about revocation between evaluations, in files (docs/formats/revocation-cache.md).
///
/// What lies there is believed no more than what comes over the network: whoever reads it has to find out what it proves.
/// So a file that cannot be read is as if it were not there, and a write that fails changes nothing.
package struct RevocationCache: Sendable {
    private let folder: RevocationCacheFolder

    /// How many answers are kept, how many bytes they may have in all, and for how many seconds they are.
    package static let mostFiles = 256
    package static let mostBytes = 32 << 20
    package static let mostSeconds = 7 * 86_400

    /// - Parameter path: the folder. It is made when something is stored.
    package init(path: String) {
        folder = RevocationCacheFolder(path: path)
    }

    /// Another cache for the current task, so that tests have one of their own.
    @TaskLocal package static var override: RevocationCache?

    /// The one of whoever runs the program.
    static var current: RevocationCache? {
        if let override { return override }
        return path { name in unsafe clinux_environment(name).map { unsafe String(cString: $0) } }
            .map { RevocationCache(path: $0) }
    }

    /// Where the cache is, by the XDG Base Directory Specification: `$XDG_CACHE_HOME/chatelaine/revocation`, or below
    /// `$HOME/.cache`.
    ///
    /// - Returns: nil without either. A relative path counts for nothing.
    package static func path(environment: (String) -> String?) -> String? {
        func absolute(_ name: String) -> String? { environment(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
        return (absolute("XDG_CACHE_HOME") ?? absolute("HOME").map { $0 + "/.cache" }).map {
            $0 + "/chatelaine/revocation"
        }
    }

    /// What is kept under a name, whatever it is.
    func contents(of method: RevocationDemand.Method, named name: String) -> [UInt8]? {
        guard let folder = folder.opened(), let file = folder.read(method.fileName(name), atMost: Self.mostFileBytes),
            file.starts(with: method.header)
        else { return nil }
        return Array(file.dropFirst(method.header.count))
    }

    /// Keeps something in place of what was there, and drops the oldest where there is too much.
    func store(_ bytes: [UInt8], as method: RevocationDemand.Method, named name: String) {
        let file = method.header + bytes
        guard file.count <= Self.mostFileBytes, let folder = folder.made() else { return }
        folder.write(file, to: method.fileName(name))
        folder.shrink(toFiles: Self.mostFiles, bytes: Self.mostBytes, seconds: Self.mostSeconds)
    }

    func remove(_ method: RevocationDemand.Method, named name: String) {
        folder.opened()?.remove(method.fileName(name))
    }

    /// The longest list and its header.
    private static let mostFileBytes = (8 << 20) + 8
}

extension RevocationDemand.Method {
    /// What a file of the cache begins with: what it is, the version of the format, what it contains.
    fileprivate var header: [UInt8] {
        Array("CHRV".utf8) + [0, 1, 0, self == .server ? 1 : 2]
    }

    fileprivate func fileName(_ name: String) -> String {
        (self == .server ? "response-" : "list-") + name
    }
}
