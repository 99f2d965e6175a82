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
        let isActive = (try? UserProgram.run("systemctl", ["--user", "--quiet", "is-active", PasskeyUnit.name])) == 0
        try PasskeysTool.print("in this session: \(isActive ? "on" : "off; chatelaine passkeys enable turns it on")")
        try PasskeysTool.print("device: \(device)")
        try PasskeysTool.print("owner: \(try owner())")
        try PasskeysTool.print(
            "browsers in a sandbox: flatpak override --user --device=all APP; snap connect APP:u2f-devices"
        )
    }

    private var device: String {
        guard let node = SystemDevice.nodes.first else {
            guard unsafe access("/dev/uhid", F_OK) == 0 else {
                return "none; the kernel has no /dev/uhid (modprobe uhid)"
            }
            guard unsafe access(SystemDevice.socketPath, F_OK) == 0 else {
                return "none; as root: systemctl enable --now chatelaine-passkey-device.socket"
            }
            return "none"
        }
        let isOpen = unsafe access(node, R_OK | W_OK) == 0
        return isOpen ? node : "\(node), which is not this user's: udevadm info \(node) says what gave it away"
    }

    private func owner() throws -> String {
        let status = try CurrentKeychain.presence().presenceStatus()
        guard let obstacle = status.obstacle(to: .owner) else { return "verified by passcode or finger" }
        return obstacle.error.message
    }
}
