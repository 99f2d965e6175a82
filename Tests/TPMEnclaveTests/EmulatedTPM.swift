import CKeychainLinux
import Foundation
import Glibc
import KeychainTestSupport
import Synchronization
import TPMEnclave

/// swtpm in a process of its own, behind a switch that sees all that goes to it.
final class EmulatedTPM: Sendable {
    let bus: TPMSwitch
    private let folder: String
    private let process: Mutex<EmulatorProcess>

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/tpm-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // The enclave's user looks for its files in here.
        chmod(folder, 0o755)
        let process = try EmulatorProcess(in: folder, name: "a")
        self.process = Mutex(process)
        bus = try TPMSwitch(at: folder + "/bus", leadingTo: process.socket)
    }

    deinit {
        bus.stop()
        kill()
        try? FileManager.default.removeItem(atPath: folder)
    }

    /// Where programs reach it.
    var setting: TPMSetting { .socket(folder + "/bus") }
    /// A folder for what a test keeps.
    var surroundings: String { folder }

    func device(timeout: Int32 = TPMDevice.standardTimeout) -> TPMDevice { TPMDevice(setting, timeout: timeout) }
    func binding(_ name: String = "device.key") -> TPMBinding {
        TPMBinding(path: folder + "/" + name, device: device())
    }

    func kill() { process.withLock { $0.kill() } }

    /// Starts it again with the state that it has kept, as after a restart of the machine.
    func restart() throws {
        let socket = process.withLock { process in
            process.kill()
            return process.socket
        }
        for path in [socket, socket + ".ctrl"] { try? FileManager.default.removeItem(atPath: path) }
        let started = try EmulatorProcess(in: folder, name: "a")
        process.withLock { $0 = started }
        try bus.lead(to: socket)
    }

    // MARK: - What is in it

    /// The handles of objects and sessions that somebody has loaded.
    func loaded() throws -> [UInt32] {
        // Transient objects, loaded sessions, saved ones.
        try [UInt32(0x8000_0000), 0x0200_0000, 0x0300_0000].flatMap { first in
            let answer = try bus.plainCommand(0x17A, UInt32(1).bytes + first.bytes + UInt32(64).bytes)
            let list = answer.dropFirst(10 + 1 + 4 + 4).map { $0 }
            return stride(from: 0, to: list.count, by: 4).map { offset in
                list.dropFirst(offset).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            }
        }
    }

    /// Takes one of its three places for objects, and leaves it taken.
    func occupyPlaceForObject() throws -> UInt32 {
        // The storage key of the TCG's template.
        let area: [UInt8] =
            [0x00, 0x23, 0x00, 0x0B, 0x00, 0x03, 0x04, 0x72, 0, 0]
            + [0x00, 0x06, 0x00, 0x80, 0x00, 0x43, 0x00, 0x10, 0x00, 0x03, 0x00, 0x10, 0, 0, 0, 0]
        let answer = try bus.command(
            0x131,
            handles: [Self.owner],
            parameters: [0, 4, 0, 0, 0, 0] + UInt16(area.count).bytes + area + [0, 0] + [0, 0, 0, 0]
        )
        return answer.dropFirst(10).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    /// The same of its places for sessions.
    func occupyPlaceForSession() throws -> UInt32 {
        let null = UInt32(0x4000_0007).bytes
        let nonce = [UInt8](repeating: 1, count: 16)
        let answer = try bus.plainCommand(
            0x176,
            null + null + UInt16(16).bytes + nonce + [0, 0] + [0] + [0x00, 0x10] + [0x00, 0x0B]
        )
        return answer.dropFirst(10).prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
    }

    func flush(_ handle: UInt32) throws { try bus.plainCommand(0x165, handle.bytes) }

    // MARK: - What its owner does

    private static let lockout: UInt32 = 0x4000_000A
    static let owner: UInt32 = 0x4000_0001

    /// Makes it forget all that it has sealed.
    func clear() throws { try bus.command(0x126, handles: [Self.lockout]) }

    /// How it limits guesses.
    func limitGuesses(tries: UInt32, interval: UInt32) throws {
        try bus.command(
            0x13A,
            handles: [Self.lockout],
            parameters: tries.bytes + interval.bytes + UInt32(1000).bytes
        )
    }

    func setOwnerAuthorization(_ bytes: [UInt8]) throws {
        try bus.command(0x129, handles: [Self.owner], parameters: UInt16(bytes.count).bytes + bytes)
    }

    /// Defines an index as another program would.
    func define(_ handle: UInt32, size: UInt16 = 32) throws {
        // AUTHREAD, AUTHWRITE, OWNERREAD, OWNERWRITE, NO_DA.
        let attributes: UInt32 = 0x0206_0006
        let publicPart = handle.bytes + UInt16(0x000B).bytes + attributes.bytes + UInt16(0).bytes + size.bytes
        try bus.command(
            0x12A,
            handles: [Self.owner],
            parameters: UInt16(0).bytes + UInt16(publicPart.count).bytes + publicPart
        )
    }

    func undefine(_ handle: UInt32) throws { try bus.command(0x122, handles: [Self.owner, handle]) }

    /// Reads 32 bytes of an index as a careless program would: with the authorisation in clear.
    func readInClear(_ handle: UInt32, authorization: [UInt8]) throws -> [UInt8] {
        let answer = try bus.command(
            0x14E,
            handles: [handle, handle],
            authorization: authorization,
            parameters: UInt16(32).bytes + UInt16(0).bytes
        )
        // Header, size of the parameters, size of the bytes.
        return Array(answer.dropFirst(10 + 4 + 2).prefix(32))
    }
}

/// The process alone.
final class EmulatorProcess: @unchecked Sendable {
    // Unchecked: `process` is started in the initialiser and killed after that.
    private let process = Process()
    let socket: String

    init(in folder: String, name: String) throws {
        socket = folder + "/" + name
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "swtpm", "socket", "--tpm2", "--tpmstate", "dir=\(folder)", "--server", "type=unixio,path=\(socket)",
            "--ctrl", "type=unixio,path=\(socket).ctrl", "--flags", "not-need-init,startup-clear",
        ]
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.runHearingSignals()
    }

    /// Waits until it listens, and takes no connection: it has one at a time.
    func waitUntilListening() {
        for _ in 0..<2000 {
            if isListening(at: socket) { return }
            usleep(5000)
        }
    }

    /// Waits until somebody can connect.
    func waitUntilReady() {
        for _ in 0..<2000 {
            let probe = clinux_stream_socket()
            defer { close(probe) }
            if clinux_connect_path(probe, socket) == 0 { return }
            usleep(5000)
        }
    }

    func kill() {
        if process.isRunning { Glibc.kill(process.processIdentifier, SIGKILL) }
        process.waitForExit()
    }
}

extension FixedWidthInteger {
    /// As a TPM has numbers.
    var bytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}
