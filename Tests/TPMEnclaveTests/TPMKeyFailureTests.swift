import Crypto
import Foundation
import KeychainModel
import LocalEnclave
import Synchronization
import Testing

@testable import TPMEnclave

/// A TPM that fails, is full, or is lied about, while a key is used.
@Suite
struct TPMKeyFailureTests {
    private static let digest = [UInt8](repeating: 5, count: 32)
    private static let point = Array(P256.KeyAgreement.PrivateKey().publicKey.x963Representation)

    /// What can be asked of keys.
    enum Use: CaseIterable, Sendable {
        case make, sign, agree

        /// The last command that does it; those that follow clear away.
        var command: UInt32 {
            switch self {
            case .make: 0x157
            case .sign: 0x15D
            case .agree: 0x154
            }
        }

        func run(_ keys: any HardwareKeys, _ blob: SecretBytes) throws(KeychainError) -> Int {
            switch self {
            case .make: try keys.makeKey().publicKey.count
            case .sign: try keys.signature(ofDigest: digest, by: blob).count
            case .agree: try keys.sharedSecret(with: point, by: blob).count
            }
        }

        var result: Int {
            switch self {
            case .make: 65
            case .sign: 64
            case .agree: 32
            }
        }
    }

    @Test func `two hundred signatures leave no object and no session in the TPM`() throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        var signatures: Set<[UInt8]> = []
        for _ in 0..<200 { signatures.insert(try keys.signature(ofDigest: Self.digest, by: key.blob)) }
        #expect(signatures.count == 200)
        for _ in 0..<10 { _ = try keys.sharedSecret(with: Self.point, by: key.blob) }
        for _ in 0..<10 { _ = try keys.makeKey() }
        #expect(try tpm.loaded().isEmpty)
        // Somebody's object would be seen.
        let handle = try tpm.occupyPlaceForObject()
        let session = try tpm.occupyPlaceForSession()
        #expect(try tpm.loaded() == [handle, session])
    }

    @Test(arguments: Use.allCases)
    func `whatever command the TPM refuses, nothing is left in it`(use: Use) throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        for refused: UInt32 in [0x131, 0x176, 0x153, 0x157, use.command] {
            // TPM_RC_FAILURE, a fault of a parameter, and a wrong authorisation, which is nobody's passcode here.
            for code: UInt32 in [0x101, 0x1DF, 0x98E] {
                tpm.bus.interfere { _, command in command == refused ? .answer(code) : nil }
                if refused != 0x153 || use == .make {
                    #expect(throws: KeychainError(.notAvailable, "")) { try use.run(keys, key.blob) }
                }
                tpm.bus.interfere(nil)
                #expect(try tpm.loaded().isEmpty)
                #expect(try use.run(keys, key.blob) == use.result)
            }
        }
    }

    @Test(arguments: Use.allCases)
    func `a connection that breaks at any command is told, and the next use makes another`(use: Use) throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        tpm.bus.interfere(nil)
        _ = try use.run(keys, key.blob)
        let commands = tpm.bus.count
        #expect(commands >= 6)
        for broken in 0..<commands {
            for after in [false, true] {
                tpm.bus.interfere { count, _ in count == broken ? (after ? .hangUpAfter : .hangUp) : nil }
                do throws(KeychainError) {
                    // What breaks while it is cleared away takes nothing back.
                    #expect(try use.run(keys, key.blob) == use.result)
                    #expect(broken > commands - 4)
                } catch {
                    #expect(error.code == .notAvailable)
                    #expect(error.message.contains("connection to the TPM"))
                }
                tpm.bus.interfere(nil)
                #expect(try use.run(keys, key.blob) == use.result)
            }
        }
    }

    @Test func `a TPM that dies in the middle is told, and its keys work once it is back`() throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        for use in Use.allCases {
            tpm.bus.interfere { [weak tpm] _, command in
                if command == use.command { tpm?.kill() }
                return nil
            }
            let error = #expect(throws: KeychainError.self) { try use.run(keys, key.blob) }
            #expect(error?.code == .notAvailable)
            #expect(error?.message.contains("connection to the TPM") == true)
            tpm.bus.interfere(nil)
            try tpm.restart()
            #expect(try use.run(keys, key.blob) == use.result)
        }
    }

    @Test(arguments: [UInt32(0x131), 0x176, 0x157, 0x15D])
    func `a TPM that is late is given up on, and what it made by then is cleared away`(command: UInt32) throws {
        let tpm = try EmulatedTPM()
        let file = try TPMBinding.made(tpm)
        let key = try file.keys().makeKey()
        let device = tpm.device(timeout: 1_500)
        let keys = try TPMBinding(path: tpm.surroundings + "/device.key", device: device).keys()
        #expect(try keys.signature(ofDigest: Self.digest, by: key.blob).count == 64)
        // Three times: as often as there is room for.
        for _ in 0..<3 {
            let held = TPMSwitch.Held()
            let isHeld = Mutex(false)
            tpm.bus.interfere { _, passing in
                guard passing == command, !isHeld.withLock({ $0 }) else { return nil }
                isHeld.withLock { $0 = true }
                return .hold(held)
            }
            #expect(message { try keys.signature(ofDigest: Self.digest, by: key.blob) }.contains("does not answer"))
            held.release()
            tpm.bus.interfere(nil)
            var answer = message { try keys.signature(ofDigest: Self.digest, by: key.blob) }
            // It was only now let go on.
            for _ in 0..<20 where answer.contains("does not answer") {
                answer = message { try keys.signature(ofDigest: Self.digest, by: key.blob) }
            }
            #expect(answer == "it worked")
            #expect(try tpm.loaded().isEmpty)
        }
    }

    // MARK: - No room

    @Test(arguments: Use.allCases)
    func `a TPM with no room for an object is busy, at whatever command, and works once there is`(use: Use) throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        var handles = [try tpm.occupyPlaceForObject()]
        #expect(try use.run(keys, key.blob) == use.result)
        for _ in 0..<2 {
            handles.append(try tpm.occupyPlaceForObject())
            #expect(message { try use.run(keys, key.blob) }.contains("is busy"))
            #expect(try tpm.loaded() == handles)
        }
        #expect(throws: TPMSwitch.Refusal.self) { try tpm.occupyPlaceForObject() }
        for handle in handles { try tpm.flush(handle) }
        #expect(try use.run(keys, key.blob) == use.result)
    }

    @Test(arguments: Use.allCases)
    func `a TPM with no room for a session is busy, and works once there is`(use: Use) throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        var handles: [UInt32] = []
        while let handle = try? tpm.occupyPlaceForSession() { handles.append(handle) }
        #expect(!handles.isEmpty)
        #expect(message { try use.run(keys, key.blob) }.contains("is busy"))
        #expect(try tpm.loaded() == handles)
        for handle in handles { try tpm.flush(handle) }
        #expect(try use.run(keys, key.blob) == use.result)
    }

    // MARK: - Somebody on the wires

    @Test(arguments: Use.allCases)
    func `an answer that was altered on its way is never taken`(use: Use) throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        let size = Mutex(0)
        tpm.bus.interfere { _, command in
            command != use.command
                ? nil
                : .change { answer in
                    size.withLock { $0 = answer.count }
                    return answer
                }
        }
        _ = try use.run(keys, key.blob)
        // The size in the header is the bus's own affair; the handle that Load answers with is not authenticated, and leads
        // to no other key.
        for offset in stride(from: use == .make ? 14 : 6, to: size.withLock { $0 }, by: 5) {
            tpm.bus.interfere { _, command in
                command != use.command
                    ? nil
                    : .change { answer in
                        var answer = answer
                        answer[offset] ^= 0x10
                        return answer
                    }
            }
            #expect(throws: KeychainError(.notAvailable, ""), "byte \(offset)") { try use.run(keys, key.blob) }
        }
        tpm.bus.interfere(nil)
        #expect(try use.run(keys, key.blob) == use.result)
    }

    @Test(arguments: Use.allCases)
    func `a command that was altered on its way is not obeyed`(use: Use) throws {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        // The last bytes are those of the parameters: the digest, the point, the key.
        for offset in stride(from: 1, to: 60, by: 4) {
            tpm.bus.interfere { _, command in
                command != use.command
                    ? nil
                    : .changeCommand { command in
                        var command = command
                        command[command.count - offset] ^= 0x10
                        return command
                    }
            }
            #expect(throws: KeychainError(.notAvailable, ""), "byte \(offset)") { try use.run(keys, key.blob) }
        }
        tpm.bus.interfere(nil)
        #expect(try use.run(keys, key.blob) == use.result)
        #expect(try tpm.loaded().isEmpty)
    }

    @Test(arguments: [
        (UInt32(0x15D), UInt32(0x921), "locked out"), (0x15D, 0x9A2, "altered"), (0x15D, 0x98E, "altered"),
        (0x157, 0x1DF, "altered"), (0x157, 0x2E5, "altered"), (0x157, 0x902, "is busy"), (0x157, 0x101, "0x101"),
        (0x157, 0x000C_01DF, "altered"), (0x15D, 0x922, "is busy"),
    ])
    func `what a TPM answers to the use of a key is told apart`(command: UInt32, code: UInt32, expected: String) throws
    {
        let tpm = try EmulatedTPM()
        let keys = try TPMBinding.made(tpm).keys()
        let key = try keys.makeKey()
        tpm.bus.interfere { _, passing in passing == command ? .answer(code) : nil }
        let message = message { try keys.signature(ofDigest: Self.digest, by: key.blob) }
        #expect(message.contains(expected), "\(message)")
    }

    private func message(_ body: () throws -> some Any) -> String {
        do {
            _ = try body()
            return "it worked"
        } catch let error as KeychainError where error.code == .notAvailable {
            return error.message
        } catch {
            return "it failed otherwise: \(error)"
        }
    }
}
