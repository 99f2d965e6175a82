import Foundation
import KeychainModel
import KeychainTestSupport
import TPMEnclave
import Testing

@Suite
struct TPMDeviceTests {
    @Test(arguments: [
        ("", TPMSetting.automatic), ("auto", .automatic), ("none", .none),
        ("device:/dev/tpm0", .device("/dev/tpm0")), ("swtpm:path=/run/tpm", .socket("/run/tpm")),
    ])
    func `a TPM is named by a word or a path`(text: String, setting: TPMSetting) throws {
        #expect(try TPMSetting(text) == setting)
        #expect(try TPMSetting(setting.description) == setting)
    }

    @Test(arguments: ["yes", "device:", "device:tpm0", "swtpm:", "swtpm:path=", "swtpm:host=a", "/dev/tpm0"])
    func `anything else names none`(text: String) {
        #expect(throws: KeychainError(.invalidParameter, "")) { try TPMSetting(text) }
    }

    @Test func `no TPM, one that is not there and one that is none are told`() throws {
        let folder = try EmulatedTPM()
        #expect(reason(TPMDevice(.none)) == .absent)
        #expect(reason(TPMDevice(.device(folder.surroundings + "/nothing"))) == .absent)
        #expect(reason(TPMDevice(.socket(folder.surroundings + "/nothing"))) == .absent)
        #expect(reason(TPMDevice(.device(folder.surroundings))) != nil)
        #expect(!TPMDevice(.none).isThere)
        #expect(folder.device().isThere)
    }

    @Test func `a TPM that does not answer is given up on, and used again once it does`() throws {
        let tpm = try EmulatedTPM()
        let device = tpm.device(timeout: 1_500)
        #expect(reason(device) == nil)
        tpm.bus.interfere { _, _ in .swallow }
        #expect(reason(device) == .silent)
        // Its answer is still to come: nothing else can be asked on this connection.
        #expect(reason(device) == .silent)
        tpm.bus.interfere(nil)
        #expect(reason(tpm.device()) == nil)
    }

    @Test func `an answer that comes too late is not taken for the next one's`() throws {
        let tpm = try EmulatedTPM()
        let device = tpm.device(timeout: 300)
        #expect(reason(device) == nil)
        let isHeldUp = tpm.bus.interfere(holdingUp: 0)
        #expect(reason(device) == .silent)
        isHeldUp.release()
        try waitUntil("the TPM answers again", pause: 0) { reason(device) != .silent }
        #expect(reason(device) == nil)
    }

    @Test func `a TPM that dies in the middle is told, and another connection is made`() throws {
        let tpm = try EmulatedTPM()
        let device = tpm.device()
        for command in 0..<3 {
            tpm.bus.interfere { count, _ in count == command ? .hangUp : nil }
            #expect(reason(device) == .gone)
            tpm.bus.interfere(nil)
            #expect(reason(device) == nil)
        }
        tpm.kill()
        #expect(reason(device) == .gone)
    }

    @Test func `a process that may open nothing any more keeps its connection, and tries no other`() throws {
        let tpm = try EmulatedTPM()
        let device = tpm.device()
        try device.settle()
        #expect(reason(device) == nil)
        tpm.bus.hangUp()
        #expect(reason(device) == .gone)
        #expect(reason(device) == .gone)
        #expect(reason(tpm.device()) == nil)
    }

    @Test(arguments: [
        (UInt32(0x921), TPMFailure.Reason.lockedOut), (0x98E, .wrongAuthorization), (0x14B, .full),
        (0x14C, .taken), (0x902, .busy), (0x903, .busy), (0x920, .busy), (0x9A2, .owned), (0x18B, .noIndex),
        (0x101, .failed), (0x1DF, .otherSeed), (0x000C_0902, .busy),
    ])
    func `what a TPM answers is told apart`(code: UInt32, expected: TPMFailure.Reason) throws {
        let tpm = try EmulatedTPM()
        let device = tpm.device()
        // The commands of beginning a session pass.
        tpm.bus.interfere { _, command in command == 0x17B ? .answer(code) : nil }
        #expect(reason(device) == expected)
    }

    @Test func `a TPM with no room for a session is busy for a while`() throws {
        let tpm = try EmulatedTPM()
        tpm.bus.interfere { _, command in command == 0x131 ? .answer(0x902) : nil }
        #expect(reason(tpm.device()) == .busy)
    }

    @Test func `each failure has a sentence of its own, which names the place`() {
        let sentences = TPMFailure.Reason.allCases.map { TPMFailure($0).sentence(at: "/dev/x") }
        #expect(Set(sentences).count == sentences.count)
        for sentence in sentences.dropFirst(2) { #expect(sentence.contains("/dev/x")) }
    }

    /// Why a session cannot be had; nil where it can.
    private func reason(_ device: TPMDevice) -> TPMFailure.Reason? {
        do throws(TPMFailure) {
            _ = try device.withSession { (session, _) throws(TPMFailure) in try session.random() }
            return nil
        } catch {
            return error.reason
        }
    }
}
