import Glibc
package import KeychainSystem

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

    /// - Parameter subject: what could not be done, where the error itself does not say enough.
    package init(_ error: SystemError, _ subject: String? = nil) {
        guard !error.isRefusal else {
            self.init(error.code == EINVAL ? .invalidParameter : .notAvailable, subject ?? error.subject)
            return
        }
        self.init(errno: error.code, subject ?? error.subject)
    }

    /// Runs a body, and translates the errors of system calls. The body may throw any error: the compiler does not infer that a closure throws one type.
    ///
    /// - Parameter subject: what could not be done, where the error itself does not say enough.
    package static func translating<Value>(
        _ subject: @autoclosure () -> String? = nil,
        _ body: () throws -> Value
    ) throws(KeychainError) -> Value {
        do {
            return try body()
        } catch let error as SystemError {
            throw KeychainError(error, subject())
        } catch let error as KeychainError {
            throw error
        } catch {
            throw KeychainError(.internalError, subject() ?? "\(error)")
        }
    }
}
