import Foundation

/// Whether a test can run the service in system mode.
package enum SystemMode {
    /// What stands in the way; nil where nothing does.
    package static let obstacle: String? = {
        guard geteuid() == 0 else { return "only root can start the system's service" }
        // Whose file an executable is, the mount table says. From a plain chroot the root folder's mount cannot be seen, and
        // then the service refuses all callers, as it should.
        let table = (try? KernelFile.text("/proc/self/mountinfo")) ?? ""
        let places = table.split(separator: "\n").compactMap { line in line.split(separator: " ").dropFirst(4).first }
        return places.contains("/") ? nil : "the root folder is no mount here, as in a plain chroot"
    }()

    package static var isPossible: Bool { obstacle == nil }

    /// Why tests are skipped.
    package static var reason: String { obstacle ?? "nothing stands in the way" }
}
