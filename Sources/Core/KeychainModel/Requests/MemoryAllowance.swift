/// How much memory one call may take for rows that it reads, in stored bytes.
///
/// What needs more is not done: the caller sees how much that would have been, is granted it, and asks again. It lives
/// within one call, on one thread at a time.
package final class MemoryAllowance {
    package struct Size: Sendable, Equatable {
        /// Of all rows that an answer is made of.
        package var answer: Int
        /// Of one row.
        package var row: Int

        package init(answer: Int, row: Int) {
            self.answer = answer
            self.row = row
        }
    }

    /// What all rows that a search looks at take.
    package struct Extent: Sendable, Equatable {
        package var rows: Int
        /// Of all of them, with what each counts for beside its stored bytes.
        package var bytes: Int
        package var largestRow: Int

        package init(rows: Int, bytes: Int, largestRow: Int) {
            self.rows = rows
            self.bytes = bytes
            self.largestRow = largestRow
        }
    }

    package let size: Size
    /// What the call lacks; nil if it has had enough.
    package private(set) var lacking: Size?
    /// What the search would have gone through that was given up; nil if nothing was searched.
    package private(set) var extent: Extent?

    package init(_ size: Size) {
        self.size = size
    }

    /// - Throws: `dataTooLarge`
    package func admit(row bytes: Int) throws(KeychainError) {
        guard bytes > size.row else { return }
        lacking = Size(answer: max(size.answer, bytes), row: bytes)
        throw Self.exceeded
    }

    /// - Throws: `dataTooLarge`
    package func admit(answer bytes: Int) throws(KeychainError) {
        guard bytes > size.answer else { return }
        lacking = Size(answer: bytes, row: size.row)
        throw Self.exceeded
    }

    /// Takes in how much the whole answer would have been.
    package func note(_ extent: Extent) {
        guard let size = lacking else { return }
        self.extent = extent
        lacking = Size(answer: max(size.answer, extent.bytes), row: size.row)
    }

    /// What a row counts for beside its stored bytes.
    package static let rowOverhead = 256

    private static var exceeded: KeychainError {
        KeychainError(.dataTooLarge, "the answer would be too large; ask for less at once")
    }
}
