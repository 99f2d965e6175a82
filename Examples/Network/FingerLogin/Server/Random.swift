import Foundation

/// Bytes that nobody can guess.
func randomBytes(_ count: Int) -> Data {
    var generator = SystemRandomNumberGenerator()
    return Data((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) })
}

/// 32 such bytes as text that may stand in a header and on a command line, where none may begin with a dash.
func randomText() -> String {
    randomBytes(32).map { String(format: "%02x", $0) }.joined()
}
