import KeychainModel

extension KeychainError.Code {
    /// What stands for the code in messages.
    var number: UInt8 { rawValue }

    init?(number: UInt8) { self.init(rawValue: number) }
}
