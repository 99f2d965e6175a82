#if canImport(LocalAuthentication)
import LocalAuthentication

public let tokensSee = "LocalAuthentication"

extension LAContext {
    public var window: UIWindow? { nil }
}
#else
public let tokensSee = "no LocalAuthentication"
#endif
