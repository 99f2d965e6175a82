package import KeychainModel

/// Which TPM is to be used, as an option or a variable names it: `auto`, `none`, `device:PATH` or `swtpm:path=PATH`.
package enum TPMSetting: Sendable, Equatable, CustomStringConvertible {
    /// The kernel's resource manager, `/dev/tpmrm0`, where it is there.
    case automatic
    case none
    /// A device's file. `/dev/tpm0` has no resource manager and can be had by one process at a time.
    case device(String)
    /// The socket of swtpm's data channel, for tests.
    case socket(String)

    /// Whether it says which TPM, and not only that there may be one.
    var namesOne: Bool {
        switch self {
        case .automatic, .none: false
        case .device, .socket: true
        }
    }

    package static let standardDevice = "/dev/tpmrm0"

    /// - Throws: `invalidParameter`, naming the forms.
    package init(_ text: String) throws(KeychainError) {
        switch text {
        case "", "auto": self = .automatic
        case "none": self = .none
        default:
            if let path = Self.path(in: text, after: "device:") {
                self = .device(path)
            } else if let path = Self.path(in: text, after: "swtpm:path=") {
                self = .socket(path)
            } else {
                throw KeychainError(
                    .invalidParameter,
                    "a TPM is named by auto, none, device:PATH or swtpm:path=PATH, with paths from the root"
                )
            }
        }
    }

    /// What comes after a prefix, if it is a path from the root.
    private static func path(in text: String, after prefix: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let path = String(text.dropFirst(prefix.count))
        return path.hasPrefix("/") ? path : nil
    }

    package var description: String {
        switch self {
        case .automatic: "auto"
        case .none: "none"
        case .device(let path): "device:\(path)"
        case .socket(let path): "swtpm:path=\(path)"
        }
    }
}
