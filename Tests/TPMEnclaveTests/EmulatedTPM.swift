import CLinux
import Foundation
import Glibc
import KeychainTestSupport
import TPMEnclave

/// swtpm in a process of its own, behind a switch that sees all that goes to it.
final class EmulatedTPM: Sendable {
    let bus: TPMSwitch
    private let folder: String
    private let process: EmulatorProcess

    init() throws {
        folder = FileManager.default.temporaryDirectory.path + "/tpm-\(UUID().uuidString.prefix(8))"
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        // The enclave's user looks for its files in here.
        chmod(folder, 0o755)
        process = try EmulatorProcess(in: folder, name: "a")
        bus = try TPMSwitch(at: folder + "/bus", leadingTo: process.socket)
    }

    deinit {
        bus.stop()
        process.kill()
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

    func kill() { process.kill() }

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
            let sockets = (try? KernelFile.text("/proc/net/unix")) ?? ""
            // The flag of a socket that listens, before type and state.
            let line = sockets.split(separator: "\n").first { $0.hasSuffix(" " + socket) }
            if line?.contains(" 00010000 ") == true { return }
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
        while process.isRunning { usleep(1000) }
    }
}

extension FixedWidthInteger {
    /// As a TPM has numbers.
    var bytes: [UInt8] {
        stride(from: Self.bitWidth - 8, through: 0, by: -8).map { UInt8(truncatingIfNeeded: self >> Self($0)) }
    }
}
