import Glibc
package import KeychainModel
import KeychainSystem

extension ProgramTrailer {
    /// Whether a file ends as a signed program does. The signature is not checked.
    ///
    /// - Parameter descriptor: of a regular file, readable; its position stays.
    /// - Throws: where the file cannot be read.
    package static func isPresent(in descriptor: Int32) throws(KeychainError) -> Bool {
        try mark(in: descriptor, length: length(of: descriptor)) != nil
    }

    /// Whether this process's own program is signed.
    package static func isPresentInOwnProgram() throws(KeychainError) -> Bool {
        try inOwnProgram { (descriptor) throws(KeychainError) in try isPresent(in: descriptor) }
    }

    /// What this process's own program ends with. The signature is not checked.
    package static func endingOfOwnProgram() throws(KeychainError) -> Ending {
        try inOwnProgram { (descriptor) throws(KeychainError) in
            try ending(of: descriptor, length: length(of: descriptor))
        }
    }

    private static func inOwnProgram<Value>(
        _ body: (Int32) throws(KeychainError) -> Value
    ) throws(KeychainError) -> Value {
        let file = try KeychainError.translating("the program's own file cannot be opened") {
            try Descriptor(opening: "/proc/self/exe", O_RDONLY)
        }
        defer { withExtendedLifetime(file) {} }
        return try body(file.number)
    }

    /// What a file of a length has at its end.
    package enum Ending: Sendable, Equatable {
        case none
        case trailer(ProgramTrailer)
        /// It ends as a trailer does, and is none.
        case faulty(Fault)
    }

    /// - Parameters:
    ///   - descriptor: of a regular file, readable; its position stays.
    ///   - length: how many of its bytes are looked at.
    package static func ending(of descriptor: Int32, length: UInt64) throws(KeychainError) -> Ending {
        guard let mark = try mark(in: descriptor, length: length) else { return .none }
        guard mark.version == version else { return .faulty(.otherVersion) }
        guard mark.trailerLength <= largest, mark.trailerLength <= length else { return .faulty(.lengths) }
        let start = length - UInt64(mark.trailerLength)
        let bytes = try read(Int(mark.trailerLength), at: start, of: descriptor)
        do {
            let trailer = try ProgramTrailer(bytes: bytes)
            guard trailer.programLength == start else { return .faulty(.lengths) }
            return .trailer(trailer)
        } catch {
            return .faulty(error)
        }
    }

    private static func mark(in descriptor: Int32, length: UInt64) throws(KeychainError) -> TrailerMark? {
        guard length >= TrailerMark.length else { return nil }
        return TrailerMark(try read(TrailerMark.length, at: length - UInt64(TrailerMark.length), of: descriptor))
    }

    private static func length(of descriptor: Int32) throws(KeychainError) -> UInt64 {
        let stamp = try KeychainError.translating("the program cannot be read") {
            try LentDescriptor(descriptor).stamp()
        }
        guard stamp.isFile else { throw KeychainError(.invalidParameter, "the program is no file") }
        return stamp.size
    }

    private static func read(_ count: Int, at offset: UInt64, of descriptor: Int32) throws(KeychainError) -> [UInt8] {
        let bytes = try KeychainError.translating("the program cannot be read") {
            try LentDescriptor(descriptor).prefix(count, from: offset)
        }
        // It was cut while it was read.
        guard bytes.count == count else {
            throw KeychainError(.inputOutput, "the program became shorter while it was read")
        }
        return bytes
    }
}
