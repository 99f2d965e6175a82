import Foundation
import Glibc
import KeychainSystem
import Terminal

/// The device that the system shows to this user's programs, made by `chatelaine-passkey-device`.
enum SystemDevice {
    static let socketPath = "/run/chatelaine/passkeys.sock"
    /// What the kernel calls it (Sources/Programs/PasskeyDevice/device.h).
    private static let name = "Chatelaine passkeys"

    static let hasGone = Failure(
        "the system has taken the device away: systemctl status 'chatelaine-passkey-device@*' says why"
    )

    /// - Throws: where no socket is there, which the package brings.
    static func connect(at path: String) throws -> PacketSocket {
        do throws(SystemError) {
            let socket = try PacketSocket(connectingTo: path, within: .seconds(5))
            socket.limit(receiving: .zero, sending: .seconds(2))
            return socket
        } catch {
            throw Failure("no device can be made: \(error.description); is chatelaine-passkey-device.socket started?")
        }
    }

    /// The nodes that this user's device has, such as `/dev/hidraw3`.
    static var nodes: [String] {
        let classes = "/sys/class/hidraw"
        let all = (try? FileManager.default.contentsOfDirectory(atPath: classes)) ?? []
        return all.filter { node in
            let text = (try? String(contentsOfFile: "\(classes)/\(node)/device/uevent", encoding: .utf8)) ?? ""
            let lines = text.split(separator: "\n")
            return lines.contains("HID_NAME=\(name)") && lines.contains("HID_UNIQ=\(getuid())")
        }
        .sorted().map { "/dev/" + $0 }
    }
}
