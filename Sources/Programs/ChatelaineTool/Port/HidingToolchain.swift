import Foundation
import Glibc
import KeychainSystem
import Terminal

/// A folder that looks like the Swift toolchain and has a compiler of ours, which hides the keychain's modules
/// (`packaging/chatelaine-swiftc`). Everything else in it is a link: SwiftPM follows the links to the compiler, and looks
/// for libraries and tools beside it.
struct HidingToolchain {
    /// The compiler of ours.
    let compiler: String
    /// The toolchain's own.
    let realCompiler: String

    /// Makes the folder in the user's cache, where it is not there yet.
    ///
    /// - Parameters:
    ///   - wrapper: the script.
    ///   - swiftc: the compiler that is found on the path. It may be one that chooses a toolchain.
    /// - Throws: where the toolchain does not say where it is, or the folder cannot be made.
    init(wrapper: String, around swiftc: String, cache: String) throws {
        let real = try Self.toolchain(of: swiftc)
        let name = real.split(separator: "/").joined(separator: "-")
        let folder = cache + "/chatelaine/swift/" + name
        realCompiler = real + "/bin/swiftc"
        compiler = folder + "/bin/swiftc"
        do {
            try FileManager.default.createDirectory(atPath: folder + "/bin", withIntermediateDirectories: true)
            for entry in try FileManager.default.contentsOfDirectory(atPath: real) where entry != "bin" {
                try Self.link(folder + "/" + entry, to: real + "/" + entry)
            }
            for entry in try FileManager.default.contentsOfDirectory(atPath: real + "/bin") where entry != "swiftc" {
                try Self.link(folder + "/bin/" + entry, to: real + "/bin/" + entry)
            }
            try Self.copy(wrapper, to: compiler)
        } catch {
            throw Failure("\(TerminalText.escaped(folder)) cannot be made: \(error.localizedDescription)")
        }
    }

    private struct TargetInfo: Decodable {
        let paths: Paths
        struct Paths: Decodable { let runtimeResourcePath: String }
    }

    /// The folder `usr` of the toolchain that a compiler belongs to.
    private static func toolchain(of swiftc: String) throws -> String {
        let process = Process()
        let output = Pipe()
        process.executableURL = URL(filePath: swiftc)
        process.arguments = ["-print-target-info"]
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        do {
            try process.run()
            let text = try output.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            // /usr/lib/swift
            let resources = try JSONDecoder().decode(TargetInfo.self, from: text).paths.runtimeResourcePath
            let folder = URL(filePath: resources).deletingLastPathComponent().deletingLastPathComponent().path
            guard ChildProgram.isExecutable(folder + "/bin/swiftc") else { throw Failure("no compiler") }
            return folder
        } catch {
            throw Failure("\(TerminalText.escaped(swiftc)) does not say where its toolchain is")
        }
    }

    /// Puts a copy into place, whole or not at all, if what is there differs.
    private static func copy(_ file: String, to path: String) throws {
        let contents = try Data(contentsOf: URL(filePath: file))
        if FileManager.default.contents(atPath: path) == contents { return }
        let file = try NewFile(beside: path, mode: 0o755)
        try file.write(Array(contents))
        try file.commit(replacing: true, lasting: false)
    }

    /// Makes a link, or makes one that leads elsewhere anew.
    private static func link(_ path: String, to target: String) throws {
        let files = FileManager.default
        if (try? files.destinationOfSymbolicLink(atPath: path)) == target { return }
        try? files.removeItem(atPath: path)
        do {
            try files.createSymbolicLink(atPath: path, withDestinationPath: target)
        } catch {
            // Another build may have been faster.
            guard (try? files.destinationOfSymbolicLink(atPath: path)) == target else { throw error }
        }
    }
}
