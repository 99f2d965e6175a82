import EnclaveInterface
import Foundation
import KeychainModel
import Testing

@testable import TPMEnclave

@Suite
struct TPMPasscodeSecretTests {
    private let right = SecretBytes(randomCount: 32)
    private let wrong = SecretBytes(randomCount: 32)

    @Test func `a secret is given out against its authorisation, to any process`() throws {
        let tpm = try EmulatedTPM()
        let made = try TPMBinding.made(tpm).passcodes().make(in: 0, authorization: right)
        #expect(made.count == 32)
        #expect(try tpm.binding().passcodes().secret(in: 0, authorization: right).array == made.array)
    }

    @Test func `the places do not know of each other`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        let first = try store.make(in: 0, authorization: right)
        let second = try store.make(in: 1, authorization: wrong)
        #expect(first.array != second.array)
        try store.remove(0)
        #expect(throws: KeychainError(.notAvailable, "")) { try store.secret(in: 0, authorization: right) }
        #expect(try store.secret(in: 1, authorization: wrong).array == second.array)
    }

    @Test func `an authorisation that ends with zeroes, which a TPM drops, works like any other`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        let zeroes = SecretBytes([UInt8](repeating: 7, count: 30) + [0, 0])
        let made = try store.make(in: 0, authorization: zeroes)
        #expect(try store.secret(in: 0, authorization: zeroes).array == made.array)
    }

    @Test func `making a secret anew leaves nothing of the old one, nor of its authorisation`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        let old = try store.make(in: 0, authorization: right)
        let new = try store.make(in: 0, authorization: wrong)
        #expect(old.array != new.array)
        #expect(throws: KeychainError(.authenticationFailed, "")) { try store.secret(in: 0, authorization: right) }
    }

    @Test func `removing what is not there is no failure`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        try store.remove(0)
        _ = try store.make(in: 0, authorization: right)
        try store.remove(0)
        try store.remove(0)
    }

    @Test func `a secret that was defined but never written counts as none`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        // NV_Write is the first command that does not pass.
        tpm.bus.interfere { _, command in command == 0x137 ? .hangUp : nil }
        #expect(throws: KeychainError.self) { try store.make(in: 0, authorization: right) }
        tpm.bus.interfere(nil)
        #expect(throws: KeychainError(.notAvailable, "")) { try store.secret(in: 0, authorization: right) }
        let made = try store.make(in: 0, authorization: right)
        #expect(try store.secret(in: 0, authorization: right).array == made.array)
    }

    // MARK: - Guessing

    @Test func `a wrong authorisation counts in the TPM`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        _ = try store.make(in: 0, authorization: right)
        let device = tpm.device()
        let before = try device.properties().failedTries
        #expect(throws: KeychainError(.authenticationFailed, "")) { try store.secret(in: 0, authorization: wrong) }
        #expect(try device.properties().failedTries == before + 1)
    }

    @Test(arguments: [UInt32(3), 10, 32])
    func `whoever guesses by way of us never locks the TPM out`(tries: UInt32) throws {
        let tpm = try EmulatedTPM()
        try tpm.limitGuesses(tries: tries, interval: 7200)
        let store = try TPMBinding.made(tpm).passcodes()
        let made = try store.make(in: 0, authorization: right)
        var refusals: [KeychainError] = []
        for _ in 0..<40 {
            let error = #expect(throws: KeychainError.self) { try store.secret(in: 0, authorization: wrong) }
            if let error, error.code != .authenticationFailed { refusals.append(error) }
        }
        let properties = try tpm.device().properties()
        #expect(!properties.isLockedOut)
        // Others have tries left: the person's disk encryption among them.
        #expect(properties.allowedTries - properties.failedTries >= properties.reserve)
        #expect(refusals.last?.message.contains("at most 7200 seconds") == true)
        #expect(refusals.count == 40 - Int(tries - properties.reserve))
        // As time passes the TPM forgives, and the owner's passcode is taken.
        try tpm.limitGuesses(tries: 50, interval: 7200)
        #expect(try store.secret(in: 0, authorization: right).array == made.array)
    }

    @Test func `the same guesses past us lock the TPM out for everybody`() throws {
        let tpm = try EmulatedTPM()
        try tpm.limitGuesses(tries: 3, interval: 7200)
        let store = try TPMBinding.made(tpm).passcodes()
        _ = try store.make(in: 0, authorization: right)
        for _ in 0..<4 {
            _ = try? tpm.readInClear(tpm.firstHandle(), authorization: wrong.array)
        }
        #expect(try tpm.device().properties().isLockedOut)
        // And so it is told, with the time.
        let error = #expect(throws: KeychainError.self) { try store.secret(in: 0, authorization: right) }
        #expect(error?.code == .notAvailable)
        #expect(error?.message.contains("locked out") == true)
        #expect(error?.message.contains("seconds") == true)
        #expect(throws: KeychainError(.notAvailable, "")) { try store.make(in: 1, authorization: right) }
        // What needs no passcode goes on.
        #expect(try tpm.binding().deviceKey() != nil)
    }

    @Test func `a TPM that locks itself out at the first wrong try takes no passcode`() throws {
        let tpm = try EmulatedTPM()
        try tpm.limitGuesses(tries: 1, interval: 10)
        let store = try TPMBinding.made(tpm).passcodes()
        let error = #expect(throws: KeychainError.self) { try store.make(in: 0, authorization: right) }
        #expect(error?.message.contains("--max-tries") == true)
    }

    // MARK: - Other people's indexes

    @Test func `an index of somebody else's in the place is left alone, and another handle is found`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        let handles = try tpm.handles(role: 0)
        try tpm.define(handles[0])
        let made = try store.make(in: 0, authorization: right)
        #expect(try store.secret(in: 0, authorization: right).array == made.array)
        // The other one goes: ours is found all the same.
        try tpm.undefine(handles[0])
        #expect(try store.secret(in: 0, authorization: right).array == made.array)
        // Another one comes back before us.
        try tpm.define(handles[0])
        try store.remove(0)
        #expect(throws: (any Error).self) { try tpm.undefine(handles[1]) }
        try tpm.undefine(handles[0])
    }

    @Test func `where all places are taken that is told`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        for handle in try tpm.handles(role: 0) { try tpm.define(handle) }
        #expect(throws: KeychainError(.notAvailable, "")) { try store.make(in: 0, authorization: right) }
    }

    @Test func `a TPM with no room says so, and the other place works on`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        let made = try store.make(in: 0, authorization: right)
        for handle in UInt32(0x0180_1000)... {
            do { try tpm.define(handle, size: 1024) } catch { break }
        }
        for handle in UInt32(0x0180_2000)... {
            do { try tpm.define(handle, size: 8) } catch { break }
        }
        #expect(throws: KeychainError(.diskFull, "")) { try store.make(in: 1, authorization: right) }
        #expect(try store.secret(in: 0, authorization: right).array == made.array)
    }

    @Test func `an index that somebody took away is told`() throws {
        let tpm = try EmulatedTPM()
        let store = try TPMBinding.made(tpm).passcodes()
        _ = try store.make(in: 0, authorization: right)
        try tpm.undefine(tpm.firstHandle())
        let error = #expect(throws: KeychainError.self) { try store.secret(in: 0, authorization: right) }
        #expect(error?.message.contains("somebody removed it") == true)
    }
}

extension EmulatedTPM {
    /// Where the places of the keychain are whose device key is in its folder.
    func handles(role: UInt8) throws -> [UInt32] {
        let file = [UInt8](try Data(contentsOf: URL(fileURLWithPath: surroundings + "/device.key")))
        return NVPlace(binding: try SealedDeviceKey(file: file).binding, role: role).handles
    }

    func firstHandle() throws -> UInt32 { try handles(role: 0)[0] }
}
