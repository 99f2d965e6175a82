/// Whether a process listens at a path, as the kernel says. A socket's file is there a moment before that.
///
/// No connection is made: some programs take one at a time, or start for the first one.
package func isListening(at path: String) -> Bool {
    let sockets = (try? KernelFile.text("/proc/net/unix")) ?? ""
    // The flag of a socket that listens, before type and state.
    return sockets.split(separator: "\n").contains { $0.hasSuffix(" " + path) && $0.contains(" 00010000 ") }
}
