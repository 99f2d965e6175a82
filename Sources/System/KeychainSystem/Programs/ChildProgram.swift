import CKeychainLinux
import Glibc

/// Programs that this process starts.
package enum ChildProgram {
    /// What a program finds on its standard input.
    package enum Input: Sendable {
        /// What this process has there.
        case own
        case nothing
        case descriptor(Descriptor)

        fileprivate var number: Int32 {
            switch self {
            case .own: CLINUX_PROGRAM_OWN_INPUT
            case .nothing: CLINUX_PROGRAM_NO_INPUT
            case .descriptor(let descriptor): descriptor.number
            }
        }
    }

    /// Starts a program, which has this process's standard error.
    ///
    /// - Parameters:
    ///   - arguments: without the program's name.
    ///   - environment: lines such as `HOME=/root`; nil for that of this process.
    ///   - output: its standard output; nil for that of this process.
    ///   - descriptors: the program has them as 3, 4 and so on; at most four.
    /// - Returns: its process, which has to be waited for.
    package static func start(
        _ path: String,
        _ arguments: [String],
        environment: [String]? = nil,
        input: Input = .own,
        output: Descriptor? = nil,
        descriptors: [Int32] = []
    ) throws(SystemError) -> Int32 {
        var process: Int32 = 0
        let result = unsafe CStrings.with([path] + arguments) { words in
            func start(_ variables: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Int32 {
                unsafe clinux_start_program(
                    path,
                    words,
                    variables,
                    descriptors,
                    Int32(clamping: descriptors.count),
                    input.number,
                    output?.number ?? -1,
                    &process
                )
            }
            // Its own as it is: it need be no text.
            guard let environment else { return unsafe start(environ) }
            return unsafe CStrings.with(environment) { unsafe start($0) }
        }
        withExtendedLifetime((input, output)) {}
        guard result == 0 else { throw SystemError(result, "\(path) cannot be started") }
        return process
    }

    /// Becomes a program, with this process's environment.
    ///
    /// - Parameter words: its arguments, beginning with its name.
    /// - Returns: why it did not.
    package static func become(_ path: String, _ words: [String]) -> SystemError {
        unsafe CStrings.with(words) { words in
            unsafe execv(path, words)
            return SystemError("\(path) cannot be started")
        }
    }

    /// Ends a program that has lost its connection: gives it a moment to end by itself.
    package static func end(_ process: Int32, within patience: Duration = .milliseconds(500)) {
        let end = ContinuousClock.now + patience
        while ContinuousClock.now < end {
            // Also where other code has waited for it.
            if waitpid(process, nil, WNOHANG) != 0 { return }
            usleep(2_000)
        }
        kill(process, SIGKILL)
        _ = wait(for: process)
    }

    /// Waits for the end of a program.
    package static func wait(for process: Int32) -> Ending {
        var status: Int32 = 0
        while unsafe waitpid(process, &status, 0) < 0 {
            guard errno == EINTR else { return .unknown }
        }
        // WIFEXITED and its relatives, which are macros.
        return status & 0x7f == 0 ? .status(status >> 8 & 0xff) : .signal(status & 0x7f)
    }

    /// How a program ended.
    package enum Ending: Sendable, Equatable {
        case status(Int32)
        case signal(Int32)
        /// Other code of this process has waited for it.
        case unknown

        /// As shells have it: 128 and more where a signal ended it.
        package var shellStatus: Int32? {
            switch self {
            case .status(let status): status
            case .signal(let signal): 128 + signal
            case .unknown: nil
            }
        }
    }

    package static func isExecutable(_ path: String) -> Bool { unsafe access(path, X_OK) == 0 }

    /// The environment of this process, as lines.
    package static var ownEnvironment: [String] {
        var lines: [String] = []
        var next = unsafe environ
        while let line = unsafe next.pointee {
            unsafe lines.append(String(cString: line))
            unsafe next += 1
        }
        return lines
    }
}

/// Strings as programs are given them.
package enum CStrings {
    /// - Parameter body: is given pointers to the strings, with a null pointer at the end.
    package static func with<Value>(
        _ strings: [String],
        _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> Value
    ) -> Value {
        var pointers = unsafe strings.map { unsafe strdup($0) } + [nil]
        defer { unsafe pointers.forEach { unsafe free($0) } }
        return unsafe body(&pointers)
    }
}
