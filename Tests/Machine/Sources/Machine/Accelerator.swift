import Foundation

/// What runs the machine's instructions.
enum Accelerator: String, Sendable {
    case kvm
    /// Translates them; some ten times slower.
    case tcg

    /// KVM where a kernel gets as far as its first words in it: some hosts have a device /dev/kvm that runs kernels of their
    /// own alone. `CHATELAINE_MACHINE_ACCELERATOR` decides otherwise.
    static func found(for image: Image, in folder: String) -> Accelerator {
        if let said = ProcessInfo.processInfo.environment["CHATELAINE_MACHINE_ACCELERATOR"] {
            return Accelerator(rawValue: said) ?? .tcg
        }
        guard unsafe access("/dev/kvm", R_OK | W_OK) == 0 else { return .tcg }
        let serial = folder + "/kvm.log"
        let words =
            ["qemu-system-x86_64"] + kvm.arguments + [
                "-m", "512", "-kernel", image.kernel, "-append", "console=ttyS0 earlyprintk=serial panic=-1",
                "-display",
                "none", "-serial", "file:\(serial)", "-monitor", "none", "-no-reboot", "-nic", "none",
            ]
        guard let process = try? ChildProcess(words, log: folder + "/kvm-errors.log") else { return .tcg }
        defer { process.kill() }
        // Without a disk it ends in a panic, which is far enough.
        let found = try? waited(for: "the end of a kernel in KVM", seconds: 15) { () -> Accelerator? in
            let text = (try? String(contentsOfFile: serial, encoding: .utf8)) ?? ""
            if text.contains("Kernel panic") { return .kvm }
            return process.status == nil ? nil : .tcg
        }
        return found ?? .tcg
    }

    var arguments: [String] {
        switch self {
        case .kvm: ["-accel", "kvm", "-cpu", "host"]
        case .tcg: ["-accel", "tcg,thread=multi,tb-size=512", "-cpu", "max"]
        }
    }
}
