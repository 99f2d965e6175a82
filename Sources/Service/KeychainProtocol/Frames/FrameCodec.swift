import KeychainMessages
package import KeychainModel
import SwiftProtobuf

/// Messages to bytes and back. What is read is checked whole: see `Conversions`.
package enum FrameCodec {
    /// Nothing in the contract is nested deeper.
    private static let deepestNesting = 10

    // MARK: - The server's messages

    /// - Returns: the whole frame.
    /// - Throws: `dataTooLarge`.
    package static func encode(_ message: ServerMessage) throws(KeychainError) -> [UInt8] {
        try frame(WireServerFrame(message), limit: Frame.largestResponse)
    }

    /// - Parameter message: a frame without its length.
    /// - Throws: `invalidParameter` for what no server says.
    package static func decodeServer(_ message: [UInt8]) throws(KeychainError) -> ServerMessage {
        try ServerMessage(parse(WireServerFrame.self, message))
    }

    // MARK: - A client's messages

    /// - Returns: the whole frame.
    /// - Throws: `dataTooLarge`.
    package static func encode(_ message: ClientMessage) throws(KeychainError) -> [UInt8] {
        try frame(WireClientFrame(message), limit: Frame.largestRequest)
    }

    /// - Parameters:
    ///   - message: a frame without its length.
    ///   - willDecode: called before that with the number of its fields, which take memory.
    /// - Throws: `invalidParameter` for what is no message of a client: the connection has to be closed.
    package static func decodeClient(
        _ message: [UInt8],
        willDecode: (Int) throws(KeychainError) -> Void = { (_) throws(KeychainError) in }
    ) throws(KeychainError) -> ReceivedClientMessage {
        try willDecode(MessageShape.modestCount(message))
        return try ReceivedClientMessage(parse(WireClientFrame.self, message))
    }

    // MARK: - Bytes

    private static func frame(_ message: some SwiftProtobuf.Message, limit: Int) throws(KeychainError) -> [UInt8] {
        do {
            let bytes: [UInt8] = try message.serializedBytes()
            return try Frame.frame(bytes, limit: limit)
        } catch let error as KeychainError {
            throw error
        } catch {
            // The only reason is a message of 2 GiB.
            throw KeychainError(.dataTooLarge, "a message to or from the keychain service is too large")
        }
    }

    private static func parse<Message: SwiftProtobuf.Message>(
        _ type: Message.Type,
        _ bytes: [UInt8]
    ) throws(KeychainError) -> Message {
        var options = BinaryDecodingOptions()
        options.messageDepthLimit = deepestNesting
        do {
            return try Message(serializedBytes: bytes, options: options)
        } catch {
            // The library's reason may quote the bytes.
            throw KeychainError(.invalidParameter, "a frame is no message of the protocol")
        }
    }
}
