import ArgumentParser
import PasskeyProtocol

/// Where new passkeys are kept, as a command line has it.
enum PasskeyPlace: String, ExpressibleByArgument, CaseIterable {
    case circle
    case device

    var kind: Passkey.Kind {
        switch self {
        case .circle: .synchronizable
        case .device: .thisDevice
        }
    }
}
