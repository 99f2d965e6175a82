/// A program that asks for something, as far as its identity is known here.
package enum Asker: Sendable, Hashable {
    /// The service's own word, where service and enclave are one process.
    case named(String, isVerified: Bool)
    /// The word of chatelaine-identify; the name is the service's.
    case vouched(VouchedProgram, name: String)

    /// In bytes of UTF-8, of a name or a path; the rest is cut off.
    package static let longestName = 256
}

/// A process that chatelaine-identify has looked at, and its connection to the keychain service.
package struct VouchedProgram: Sendable, Hashable {
    package let pid: Int32
    /// Where its executable lies. Only of an installed one does the path say which program it is.
    package let path: String
    /// Whether an administrator has installed it, and the kernel vouches for a clean start.
    package let isInstalled: Bool
    /// The number that the kernel gave the connection (SO_COOKIE), which no other ever has.
    package let connection: UInt64

    package init(pid: Int32, path: String, isInstalled: Bool, connection: UInt64) {
        self.pid = pid
        self.path = path.prefix(utf8Bytes: Asker.longestName)
        self.isInstalled = isInstalled
        self.connection = connection
    }
}

/// What a question says of its asker.
package enum AskerClaim: Sendable, Hashable {
    case named(String, isVerified: Bool)
    /// The enclave knows the program by the voucher; the name is what the service calls it.
    case vouched(by: AskerVoucher, name: String)

    package static func named(limiting name: String, isVerified: Bool) -> AskerClaim {
        .named(name.prefix(utf8Bytes: Asker.longestName), isVerified: isVerified)
    }

    package static func vouched(by voucher: AskerVoucher, limitedName name: String) -> AskerClaim {
        .vouched(by: voucher, name: name.prefix(utf8Bytes: Asker.longestName))
    }
}

/// Stands for a program that chatelaine-identify has vouched for, in one question.
package struct AskerVoucher: Sendable, Hashable, CustomStringConvertible {
    /// 16 random bytes.
    package let bytes: [UInt8]

    package static let size = 16

    package init?(_ bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    package var description: String { "[REDACTED]" }
}

/// What a person is told of an asker.
package struct AskerDescription: Sendable, Hashable {
    package enum Standing: UInt8, Sendable, CaseIterable {
        /// The service has not verified the name.
        case unverified = 0
        /// The service says that it has.
        case verified = 1
        /// The path is that of some program.
        case notInstalled = 2
        /// The path is that of an installed program.
        case installed = 3
    }

    package let standing: Standing
    /// What the service calls it.
    package let name: String
    /// Empty where no service vouches for one.
    package let path: String

    package init(_ standing: Standing, name: String, path: String = "") {
        self.standing = standing
        self.name = name
        self.path = path
    }
}

extension Asker {
    package var description: AskerDescription {
        switch self {
        case .named(let name, let isVerified): AskerDescription(isVerified ? .verified : .unverified, name: name)
        case .vouched(let program, let name):
            AskerDescription(program.isInstalled ? .installed : .notInstalled, name: name, path: program.path)
        }
    }
}
