@_implementationOnly import KeychainModel

/// Draws from the system's random numbers, each outcome as likely as any other.
struct RandomDraw {
    private var pool: ArraySlice<UInt8> = []

    /// A number below a bound from 1 to 65,536. Numbers at the end, which would make some outcomes likelier than
    /// others, are thrown away.
    ///
    /// - Throws: `inputOutput` where the system has no random bytes to give.
    mutating func number(below bound: Int) throws(KeychainError) -> Int {
        let range = 1 << 16
        while true {
            let number = Int(try byte()) << 8 | Int(try byte())
            if number < range / bound * bound { return number % bound }
        }
    }

    /// - Parameter elements: from 1 to 65,536.
    mutating func element<Element>(of elements: [Element]) throws(KeychainError) -> Element {
        elements[try number(below: elements.count)]
    }

    private mutating func byte() throws(KeychainError) -> UInt8 {
        if let byte = pool.popFirst() { return byte }
        var bytes = [UInt8](repeating: 0, count: 64)
        guard unsafe SecRandomCopyBytes(kSecRandomDefault, bytes.count, &bytes) == errSecSuccess,
            let first = bytes.first
        else { throw KeychainError(.inputOutput, "the system has no random bytes to give") }
        pool = bytes.dropFirst()
        return first
    }
}
