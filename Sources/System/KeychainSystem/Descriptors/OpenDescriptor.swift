import Glibc

/// An open file, folder or socket. Reading, writing, waiting and locking go on where a signal has interrupted them.
package protocol OpenDescriptor: Sendable {
    var number: Int32 { get }
}

extension OpenDescriptor {
    /// For calls that this module does not make.
    ///
    /// - Parameter body: is given the number, which stays open for as long as the body runs.
    package func withNumber<Value, Failure: Error>(
        _ body: (Int32) throws(Failure) -> Value
    ) throws(Failure) -> Value {
        defer { withExtendedLifetime(self) {} }
        return try body(number)
    }

    // MARK: - Reading

    /// Reads once.
    ///
    /// - Parameters:
    ///   - room: for the bytes.
    ///   - position: where in the file; nil for where the descriptor is.
    /// - Returns: how many bytes were read; 0 at the end.
    package func read(
        into room: UnsafeMutableRawBufferPointer,
        at position: UInt64? = nil
    ) throws(SystemError) -> Int {
        while true {
            let count =
                if let position {
                    unsafe pread(number, room.baseAddress, room.count, off_t(clamping: position))
                } else {
                    unsafe Glibc.read(number, room.baseAddress, room.count)
                }
            if count >= 0 { return count }
            if errno != EINTR { throw SystemError("a file cannot be read") }
        }
    }

    /// Reads until the room is full, or the file ends.
    ///
    /// - Returns: how many bytes were read.
    package func fill(
        _ room: UnsafeMutableRawBufferPointer,
        from position: UInt64? = nil
    ) throws(SystemError) -> Int {
        var count = 0
        while count < room.count {
            let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: room[count...])
            let got = try unsafe read(into: rest, at: position.map { $0 + UInt64(count) })
            if got == 0 { break }
            count += got
        }
        return count
    }

    /// Reads up to the end, and at most so many bytes.
    package func prefix(_ most: Int, from position: UInt64? = nil) throws(SystemError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < most {
            let size = min(most - bytes.count, max(4_096, min(bytes.count, 1 << 20)))
            var failure: SystemError?
            let piece = unsafe [UInt8](unsafeUninitializedCapacity: size) { room, count in
                do throws(SystemError) {
                    let start = position.map { $0 + UInt64(bytes.count) }
                    count = try unsafe fill(UnsafeMutableRawBufferPointer(room), from: start)
                } catch {
                    failure = error
                }
            }
            if let failure { throw failure }
            bytes += piece
            if piece.count < size { break }
        }
        return bytes
    }

    /// Reads up to the end.
    ///
    /// - Throws: `EFBIG` for more bytes than that.
    package func contents(atMost most: Int) throws(SystemError) -> [UInt8] {
        let bytes = try prefix(most + 1)
        guard bytes.count <= most else { throw SystemError(EFBIG, "a file is larger than it can be") }
        return bytes
    }

    // MARK: - Writing

    /// Writes all bytes.
    package func write(_ bytes: UnsafeRawBufferPointer) throws(SystemError) {
        var rest = unsafe bytes
        while unsafe !rest.isEmpty {
            let count = unsafe Glibc.write(number, rest.baseAddress, rest.count)
            if count < 0 {
                guard errno == EINTR else { throw SystemError("a file cannot be written") }
            } else if count == 0 {
                throw SystemError(EIO, "a file cannot be written")
            } else {
                unsafe rest = UnsafeRawBufferPointer(rebasing: rest[count...])
            }
        }
    }

    package func write(_ bytes: [UInt8]) throws(SystemError) {
        var failure: SystemError?
        unsafe bytes.withUnsafeBytes { buffer in
            do throws(SystemError) { try unsafe write(buffer) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Makes what was written outlive a power cut; of a folder, its names.
    package func synchronize() throws(SystemError) {
        guard withNumber({ fsync($0) }) == 0 else { throw SystemError("a file cannot be written") }
    }

    // MARK: - What it is

    package func stamp() throws(SystemError) -> FileStamp {
        var status = stat()
        guard unsafe fstat(number, &status) == 0 else { throw SystemError("a file cannot be looked at") }
        return FileStamp(status)
    }

    // MARK: - Locking

    /// Waits until nobody else has locked the file, and locks it until the descriptor is closed (flock(2)).
    package func lock() throws(SystemError) {
        while flock(number, LOCK_EX) != 0 {
            guard errno == EINTR else { throw SystemError("a file cannot be locked") }
        }
    }

    /// - Returns: false where somebody else has locked the file.
    package func lockIfFree() throws(SystemError) -> Bool {
        if flock(number, LOCK_EX | LOCK_NB) == 0 { return true }
        guard errno == EWOULDBLOCK || errno == EINTR else { throw SystemError("a file cannot be locked") }
        return false
    }

    package func unlock() {
        flock(number, LOCK_UN)
    }
}
