import Glibc

/// Standard input, output and error.
enum StandardDescriptors {
    /// Keeps the numbers 0 to 2 from being given to a file of the keychain where the caller closed them: what is
    /// printed would be written into the database. Reading or writing there goes on failing.
    static func reserve() {
        for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) == -1 {
            _ = unsafe open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }
}
