import Glibc

extension KeychainError {
    /// The error that stands for a failed system call.
    package init(errno code: Int32, _ message: String) {
        let reason = unsafe String(cString: strerror(code))
        switch code {
        case EACCES, EPERM: self.init(.noPermission, "\(message): \(reason)")
        case EROFS: self.init(.readOnly, "\(message): \(reason)")
        case ENOSPC, EDQUOT: self.init(.diskFull, "\(message): \(reason)")
        case ENOMEM: self.init(.outOfMemory, "\(message): \(reason)")
        case EIO: self.init(.inputOutput, "\(message): \(reason)")
        default: self.init(.notAvailable, "\(message): \(reason)")
        }
    }
}
