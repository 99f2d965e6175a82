import Foundation
import Testing

/// The rules of membership as a model that Spin searches exhaustively: Tests/Models/membership.pml.
@Suite("The model of membership")
struct MembershipModelTests {
    /// - Returns: what Spin says of all circles with five entries by four devices.
    private func search(_ options: [String] = []) throws -> String {
        let folder = FileManager.default.temporaryDirectory.appending(path: "membership-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let model = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../Models/membership.pml")
        try FileManager.default.copyItem(at: model.standardized, to: folder.appending(path: "membership.pml"))
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/spin")
        process.currentDirectoryURL = folder
        process.arguments = ["-DENTRIES=5"] + options + ["-run", "-O2", "-m10000", "membership.pml"]
        let output = Pipe()
        process.standardOutput = output
        process.standardError = output
        try process.run()
        let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        return text
    }

    @Test func `nobody gains a member by signing as a device that was removed`() throws {
        let text = try search()
        #expect(text.contains("errors: 0"), "\(text)")
        // It has looked at more than one circle.
        #expect(text.contains("1008355 states, stored"), "\(text)")
    }

    @Test func `the model finds it out if the date of an addition is not looked at`() throws {
        let text = try search(["-DWITHOUT_DATES=true"])
        #expect(text.contains("assertion violated"), "\(text)")
    }
}
