import Foundation
import KeychainTestSupport
import Testing

struct DoctorKernelTests {
    /// The lines about the kernel.
    private func examine(on kernel: SeenKernel) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = kernel.wrapper + [ServiceProcess.program("chatelaine"), "doctor"]
        process.environment = ["PATH": "/usr/bin:/bin", "CHATELAINE_KEYCHAIN": "memory:doctor"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        process.standardInput = FileHandle.nullDevice
        try process.runHearingSignals()
        let text = String(decoding: try #require(try output.fileHandleForReading.readToEnd()), as: UTF8.self)
        process.waitForExit()
        // Lines are broken where a terminal's would end.
        return text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    @Test(arguments: [
        "no SO_PEERPIDFD (Linux 6.5)", "no STATX_MNT_ID_UNIQUE (Linux 6.8)", "no PR_SET_MDWE (Linux 6.3)",
        "no PIDFD_GET_INFO (Linux 6.13)", "no memfd_secret(2)",
    ])
    func `the doctor says what an older kernel lacks`(_ lack: String) throws {
        #expect(try examine(on: .older).contains(lack))
    }

    @Test func `what every kernel of these years has is not missed on an older one`() throws {
        let text = try examine(on: .older)
        #expect(text.contains("processes can be held (pidfd_open)"), "\(text)")
        #expect(text.contains("memory can be wiped at a fork (MADV_WIPEONFORK)"), "\(text)")
    }
}
