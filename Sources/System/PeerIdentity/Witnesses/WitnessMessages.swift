import CKeychainLinux
import Glibc

/// What the server asks chatelaine-identify: one packet a question, with a descriptor to answer on as the last of its
/// descriptors. Both ends are of one build and on one machine, so numbers travel as they are.
enum WitnessQuestion: UInt8 {
    /// With the socket of a client. Answered with `ProcessFacts` and, as descriptors, the pidfd, the folder in /proc and,
    /// where it can be opened, the executable.
    case identify = 1
    /// With a process's folder in /proc. Answered with `RecheckedFacts`.
    case lookAgain = 2
    /// With the socket of a client. Answered with a voucher, once the enclave has it.
    case vouch = 3
}

/// The answers, as a row of numbers with a text behind it.
enum WitnessAnswer {
    /// In bytes: the numbers, and the longest path.
    static let largest = 8_192

    /// The process has ended, or cannot be seen.
    static let gone: [UInt8] = [0]

    static func encode(_ facts: ProcessFacts) -> [UInt8] {
        var numbers: [UInt64] = [UInt64(UInt32(bitPattern: facts.pid))]
        for ids in [facts.uids, facts.gids] { numbers += encode(ids) }
        numbers += [
            facts.permittedCapabilities, facts.isTraced ? 1 : 0, UInt64(clamping: facts.pidNamespaceDepth),
            facts.noNewPrivileges ? 1 : 0, UInt64(clamping: facts.seccompMode), facts.isDumpable ? 1 : 0,
            UInt64(facts.shared.rawValue), facts.namespaceOwner.map { UInt64($0) } ?? .max,
            facts.executable == nil ? 0 : 1,
        ]
        if let executable = facts.executable {
            numbers += encode(executable.file)
            numbers += [UInt64(executable.owner), UInt64(executable.group), UInt64(executable.mode)]
            numbers += [
                executable.mount.isOfSystem ? 1 : 0, executable.mount.ignoresSetID ? 1 : 0,
                executable.mount.isInUserSpace ? 1 : 0,
            ]
        }
        return encode(numbers) + Array((facts.executable?.protectedPath ?? "").utf8)
    }

    static func encode(_ facts: RecheckedFacts) -> [UInt8] {
        var numbers = encode(facts.gids)
        numbers += [facts.permittedCapabilities, facts.isTraced ? 1 : 0, facts.executable == nil ? 0 : 1]
        if let executable = facts.executable { numbers += encode(executable) }
        return encode(numbers)
    }

    static func encode(voucher: [UInt8]) -> [UInt8] { [1] + voucher }

    static func decodeVoucher(_ bytes: [UInt8]) -> [UInt8]? {
        guard bytes.first == 1, bytes.count == 1 + AskerTestimony.voucherSize else { return nil }
        return Array(bytes.dropFirst())
    }

    private static func encode(_ ids: ProcessIDs) -> [UInt64] {
        [ids.real, ids.effective, ids.saved, ids.fileSystem].map { UInt64($0) }
    }

    private static func encode(_ file: FileIdentity) -> [UInt64] {
        [file.device, file.inode, file.uniqueMount, file.size, UInt64(bitPattern: file.changed)]
    }

    private static func encode(_ numbers: [UInt64]) -> [UInt8] {
        [1] + numbers.flatMap { number in (0..<8).map { UInt8(truncatingIfNeeded: number >> UInt64($0 * 8)) } }
    }

    /// - Returns: nil for an answer that is none.
    static func decodeFacts(_ bytes: [UInt8]) -> ProcessFacts? {
        var numbers = NumberReader(bytes)
        guard let pid = numbers.next(), let uids = ids(&numbers), let gids = ids(&numbers),
            let capabilities = numbers.next(), let isTraced = numbers.next(), let depth = numbers.next(),
            let noNewPrivileges = numbers.next(), let seccomp = numbers.next(), let isDumpable = numbers.next(),
            let shared = numbers.next(), let owner = numbers.next(), let hasExecutable = numbers.next()
        else { return nil }
        var facts = ProcessFacts(
            pid: Int32(truncatingIfNeeded: pid),
            uids: uids,
            gids: gids,
            permittedCapabilities: capabilities,
            isTraced: isTraced != 0,
            pidNamespaceDepth: Int(clamping: depth),
            noNewPrivileges: noNewPrivileges != 0,
            seccompMode: Int(clamping: seccomp),
            isDumpable: isDumpable != 0,
            shared: SharedSurroundings(rawValue: UInt8(truncatingIfNeeded: shared)),
            namespaceOwner: UInt32(exactly: owner)
        )
        if hasExecutable != 0 {
            guard let file = file(&numbers), let owner = numbers.next(), let group = numbers.next(),
                let mode = numbers.next(), let isOfSystem = numbers.next(), let ignoresSetID = numbers.next(),
                let isInUserSpace = numbers.next()
            else { return nil }
            let path = String(validating: numbers.rest, as: UTF8.self)
            facts.executable = ExecutableFacts(
                file: file,
                owner: UInt32(truncatingIfNeeded: owner),
                group: UInt32(truncatingIfNeeded: group),
                mode: UInt32(truncatingIfNeeded: mode),
                mount: MountFacts(
                    isOfSystem: isOfSystem != 0,
                    ignoresSetID: ignoresSetID != 0,
                    isInUserSpace: isInUserSpace != 0
                ),
                protectedPath: path?.isEmpty == false ? path : nil
            )
        }
        return facts
    }

    static func decodeRecheckedFacts(_ bytes: [UInt8]) -> RecheckedFacts? {
        var numbers = NumberReader(bytes)
        guard let gids = ids(&numbers), let capabilities = numbers.next(), let isTraced = numbers.next(),
            let hasExecutable = numbers.next()
        else { return nil }
        var executable: FileIdentity?
        if hasExecutable != 0 {
            executable = file(&numbers)
            if executable == nil { return nil }
        }
        return RecheckedFacts(
            gids: gids,
            permittedCapabilities: capabilities,
            isTraced: isTraced != 0,
            executable: executable
        )
    }

    private static func ids(_ numbers: inout NumberReader) -> ProcessIDs? {
        guard let real = numbers.next(), let effective = numbers.next(), let saved = numbers.next(),
            let fileSystem = numbers.next()
        else { return nil }
        return ProcessIDs(
            real: UInt32(truncatingIfNeeded: real),
            effective: UInt32(truncatingIfNeeded: effective),
            saved: UInt32(truncatingIfNeeded: saved),
            fileSystem: UInt32(truncatingIfNeeded: fileSystem)
        )
    }

    private static func file(_ numbers: inout NumberReader) -> FileIdentity? {
        guard let device = numbers.next(), let inode = numbers.next(), let mount = numbers.next(),
            let size = numbers.next(), let changed = numbers.next()
        else { return nil }
        return FileIdentity(
            device: device,
            inode: inode,
            uniqueMount: mount,
            size: size,
            changed: Int64(bitPattern: changed)
        )
    }

    private struct NumberReader {
        var rest: ArraySlice<UInt8>

        init(_ bytes: [UInt8]) {
            rest = bytes.first == 1 ? bytes.dropFirst() : []
        }

        mutating func next() -> UInt64? {
            guard rest.count >= 8 else { return nil }
            defer { rest = rest.dropFirst(8) }
            return rest.prefix(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
        }
    }
}
