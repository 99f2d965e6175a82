import KeychainMessages
import KeychainModel

extension WireAccessControl {
    init(_ control: AccessControl) {
        self.init()
        protection = control.protection.name
        if let flags = control.flags { self.flags = UInt64(flags.rawValue) }
    }
}

extension AccessControl {
    /// - Throws: `invalidParameter` for a combination that cannot be made.
    init(_ wire: WireAccessControl) throws(KeychainError) {
        guard wire.hasFlags else {
            guard let accessibility = Accessibility(rawValue: wire.protection) else {
                throw KeychainError(.invalidParameter, "an access control has an unknown accessibility class")
            }
            self.init(bare: accessibility)
            return
        }
        guard let flags = UInt(exactly: wire.flags) else {
            throw KeychainError(.invalidParameter, "an access control has flags that do not exist")
        }
        try self.init(protection: wire.protection, flags: AccessControlFlags(rawValue: flags))
    }
}
