import ArgumentParser
import Glibc
import KeychainClient
import KeychainModel
import Terminal

struct ShowStatus: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract:
            "Say whether programs see the security key, and if not, why; and whether the keychain can verify its owner."
    )

    func run() throws {
        let device = device
        try PasskeysTool.print(device.verdict)
        try PasskeysTool.print("in this session: \(session)")
        try PasskeysTool.print("device: \(device.text)")
        try PasskeysTool.print("keychain: \(try keychain())")
        try PasskeysTool.print("owner: \(try owner())")
        if device.isSeen {
            try PasskeysTool.print(
                "browsers in a sandbox: flatpak override --user --device=all APP; snap connect APP:u2f-devices"
            )
        }
    }

    private var session: String {
        guard PasskeyUnit.isManaged else { return "off; no systemd serves it" }
        let isActive = (try? PasskeyUnit.systemctl("--quiet", "is-active")) == 0
        return isActive ? "on" : "off; chatelaine passkeys enable turns it on"
    }

    /// A program that finds no service has a keychain of its own, whose passkeys are others.
    private func keychain() throws -> String {
        switch try KeychainLocation.current() {
        case .service(let address): "the service's, at \(TerminalText.escaped(address.path))"
        case .embedded(let directory):
            "no service runs: this program opens \(TerminalText.escaped(directory)) itself"
        case .memory: "in this program's memory alone"
        }
    }

    /// What browsers find, or why they find none.
    private struct Device {
        let text: String
        var isSeen = false

        var verdict: String {
            isSeen ? "Browsers and other programs see this security key." : "Browsers do not see this security key."
        }
    }

    private var device: Device {
        guard let node = SystemDevice.nodes.first else {
            guard unsafe access("/dev/uhid", F_OK) == 0 else {
                return Device(
                    text: "none; the kernel has no /dev/uhid: modprobe uhid, as root, outside of any container"
                )
            }
            guard unsafe access(SystemDevice.socketPath, F_OK) == 0 else {
                return Device(text: "none; as root: systemctl enable --now chatelaine-passkey-device.socket")
            }
            return Device(text: "none")
        }
        guard unsafe access(node, R_OK | W_OK) == 0 else {
            return Device(text: "\(node), which is not this user's: udevadm info \(node) says what gave it away")
        }
        return Device(text: node, isSeen: true)
    }

    private func owner() throws -> String {
        let status = try CurrentKeychain.presence().presenceStatus()
        guard let obstacle = status.obstacle(to: .owner) else { return "verified by passcode or finger" }
        return obstacle.error.message
    }
}
