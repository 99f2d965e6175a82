/// The mounts of a namespace (/proc/PID/mountinfo, proc_pid_mountinfo(5)).
package struct MountTable: Sendable, Equatable {
    package struct Mount: Sendable, Equatable {
        package let ignoresSetID: Bool
        package let isInUserSpace: Bool
    }

    private let mounts: [UInt64: Mount]

    /// - Parameter text: the whole file, in which the kernel escapes blanks and line feeds of names.
    /// - Returns: nil if a line is not as the kernel writes it.
    package init?(_ text: some Sequence<UInt8>) {
        var mounts: [UInt64: Mount] = [:]
        for line in String(decoding: Array(text), as: UTF8.self).split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: false)
            // Number, parent, device, root, place, options, any number of tags, a hyphen, type, source, more options.
            guard fields.count >= 9, let number = UInt64(fields[0]),
                let hyphen = fields[6...].firstIndex(of: "-"), fields.indices.contains(hyphen + 1)
            else { return nil }
            let kind = fields[hyphen + 1]
            mounts[number] = Mount(
                ignoresSetID: fields[5].split(separator: ",").contains("nosuid"),
                isInUserSpace: kind == "fuse" || kind == "fuseblk" || kind.hasPrefix("fuse.")
            )
        }
        self.mounts = mounts
    }

    /// - Parameter number: as statx(2) gives it, not the unique one.
    package func mount(_ number: UInt64) -> Mount? {
        mounts[number]
    }
}
