import PasskeyProtocol

extension Passkey {
    /// Its identifier in hexadecimal.
    var number: String {
        id.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    var place: String {
        switch kind {
        case .thisDevice: "this device"
        case .synchronizable: "all devices"
        }
    }

    /// Which programs learn that it is there.
    var audience: String {
        switch protection {
        case .optional: "programs that you let use it, and those that name it"
        case .unlessNamed: "programs that name it; others when you have proved to be there"
        case .required: "programs when you have proved to be there"
        }
    }
}
