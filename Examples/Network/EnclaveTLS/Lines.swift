import Foundation
import NIOCore

/// What comes before the first line feed, for people to read; nil if none comes within 1,024 bytes.
func firstLine(of inbound: NIOAsyncChannelInboundStream<ByteBuffer>) async throws -> String? {
    var bytes: [UInt8] = []
    for try await buffer in inbound {
        bytes += buffer.readableBytesView
        if let end = bytes.firstIndex(of: UInt8(ascii: "\n")), end <= 1024 {
            // Somebody else's text: nothing that moves the cursor.
            let isControl = CharacterSet.controlCharacters.contains
            return String(
                String.UnicodeScalarView(
                    String(decoding: bytes[..<end], as: UTF8.self).unicodeScalars.filter { !isControl($0) }
                )
            )
        }
        if bytes.count > 1024 { return nil }
    }
    return nil
}

/// Has what was printed appear, also in a file.
func flush() { fflush(nil) }
