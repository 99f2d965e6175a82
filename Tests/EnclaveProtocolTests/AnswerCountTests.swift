import EnclaveInterface
import KeychainModel
import Testing

/// Keys come and go in lists, and an answer belongs to a key by its place in the list.
struct AnswerCountTests {
    private typealias Message = EnclaveMessageTests

    private static let wrapped = [WrappedItemKey](
        repeating: WrappedItemKey(binding: Message.binding, box: [1]),
        count: 2
    )

    private func expectRefusal<Answer>(of result: Result<Answer, KeychainError>) {
        #expect(throws: KeychainError(.notAvailable, "")) { try result.get() }
    }

    @Test(arguments: [0, 1, 3])
    func `another number of answers than of keys is none`(count: Int) throws {
        let key = UnwrappedItemKey(binding: Message.binding, key: Message.key)
        let boxes = [[UInt8]](repeating: [1], count: count)
        expectRefusal(of: WrapRequest([key, key]).completing(.success(boxes)))
        expectRefusal(of: RewrapRequest(Self.wrapped).completing(.success(boxes.map(Optional.some))))
        expectRefusal(of: UnwrapRequest(Self.wrapped).completing(.success(boxes.map { _ in .success(Message.key) })))
    }

    @Test func `one answer for each key is taken`() throws {
        let key = UnwrappedItemKey(binding: Message.binding, key: Message.key)
        #expect(try WrapRequest([key, key]).completing(.success([[1], [2]])).get() == [[1], [2]])
        #expect(try RewrapRequest(Self.wrapped).completing(.success([nil, [2]])).get() == [nil, [2]])
        #expect(
            try UnwrapRequest(Self.wrapped).completing(.success([.success(Message.key), .success(Message.key)])).get()
                .count == 2
        )
    }
}
