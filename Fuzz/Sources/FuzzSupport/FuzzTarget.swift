import CLibFuzzer
import Foundation

/// Something that takes bytes from anywhere.
///
/// A conforming type with `@main` is a fuzzer: a program with libFuzzer's options, and with one of its own,
/// `--make-seeds FOLDER`, which writes the inputs to begin with.
public protocol FuzzTarget {
    /// Hands the bytes to what is tested, and checks what it answers with `require`.
    static func run(_ bytes: [UInt8]) throws

    /// Valid inputs of each kind, by the names of their files.
    static func seeds() throws -> [String: [UInt8]]
}

extension FuzzTarget {
    public static func main() throws {
        let arguments = CommandLine.arguments
        if arguments.count == 3, arguments[1] == "--make-seeds" {
            try makeSeeds(in: URL(fileURLWithPath: arguments[2]))
        } else {
            current = Self.self
            var count = CommandLine.argc
            var values: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
            exit(LLVMFuzzerRunDriver(&count, &values, runCurrent))
        }
    }

    private static func makeSeeds(in folder: URL) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        for (name, bytes) in try seeds() {
            try Data(bytes).write(to: folder.appending(path: name))
        }
    }
}

/// The one fuzzer of this program. libFuzzer calls back a C function, which can carry nothing along; it is written once,
/// before the first call.
nonisolated(unsafe) private var current: (any FuzzTarget.Type)?

private func runCurrent(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    do {
        try current?.run(Array(UnsafeBufferPointer(start: data, count: size)))
    } catch {
        fatalError("an error came out of a fuzzer: \(error)")
    }
    return 0
}

/// Ends the program, so that libFuzzer keeps the input, where a promise is broken.
public func require(_ condition: Bool, _ promise: @autoclosure () -> String) {
    if !condition { fatalError("broken: \(promise())") }
}
