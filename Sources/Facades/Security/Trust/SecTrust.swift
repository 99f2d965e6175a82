public import CoreFoundationAliases
public import Foundation
import Synchronization

@_implementationOnly import KeychainClient
@_implementationOnly import KeychainModel

/// A certificate to be evaluated: with others that may lead from it to an anchor, with policies, and with the outcome
/// once there is one.
///
/// Any thread may use it. What is changed during an evaluation counts for the next.
public final class SecTrust: NSObject, @unchecked Sendable {
    // `@unchecked`: NSObject is not Sendable, and a lock guards all there is to the object.
    private let guarded: Mutex<State>

    init(certificates: [SecCertificate], policies: [SecPolicy]) {
        guarded = Mutex(State(settings: TrustSettings(certificates: certificates, policies: policies)))
    }

    private struct State: Sendable {
        var settings: TrustSettings
        /// The outcome for these settings; nil if there is none yet.
        var evaluation: TrustEvaluation?
        /// Goes up with every change of the settings.
        var generation: UInt64 = 0
    }

    /// The settings as they are now.
    var settings: TrustSettings { guarded.withLock { $0.settings } }

    /// The outcome of the last evaluation, unless something was changed since.
    var lastEvaluation: TrustEvaluation? { guarded.withLock { $0.evaluation } }

    /// Changes the settings, whereby the outcome of an earlier evaluation is forgotten.
    func change(_ body: (inout TrustSettings) -> Void) {
        guarded.withLock { state in
            body(&state.settings)
            state.evaluation = nil
            state.generation &+= 1
        }
    }

    /// Evaluates the certificate with the settings of this moment. The lock is not held meanwhile, but a fork waits for
    /// whoever holds it.
    func evaluate() -> TrustEvaluation {
        do throws(KeychainError) {
            let (settings, generation) = try ForkGuard.holdingOffForks {
                guarded.withLock { ($0.settings, $0.generation) }
            }
            let evaluation = try TrustEvaluation.made(of: settings)
            try ForkGuard.holdingOffForks {
                guarded.withLock { state in
                    if state.generation == generation { state.evaluation = evaluation }
                }
            }
            return evaluation
        } catch {
            return TrustEvaluation(failingWith: error)
        }
    }

    public override var description: String {
        "<SecTrustRef: \(settings.certificates.count) certificates>"
    }

    public override var debugDescription: String { description }
}

/// What an evaluation is made of.
struct TrustSettings: Sendable {
    /// The one to be evaluated, and others that may lead from it to an anchor.
    let certificates: [SecCertificate]
    var policies: [SecPolicy]
    /// Anchors of the caller's own; nil if there are none.
    var anchors: [SecCertificate]?
    /// Whether the system's anchors are left aside where the caller has given some.
    var trustsOwnAnchorsOnly = true
    /// The moment for which is evaluated; nil for now.
    var date: Date?
    /// Whether the network may be used; nil if the caller has not said, which is no leave to use it.
    var mayFetch: Bool?
    /// Answers about revocation that the caller has brought, whatever they are.
    var staples: [[UInt8]] = []
    /// Failures that the caller lets pass.
    var exceptions: TrustExceptions?
    var options: SecTrustOptionFlags = []

    init(certificates: [SecCertificate], policies: [SecPolicy]) {
        self.certificates = certificates
        self.policies = policies
    }
}

extension SecTrust: CFTypeIdentified {
    package static let cfTypeID: CFTypeID = 0x4348_0006
}

/// The type identifier of trust objects.
@discardableResult
public func SecTrustGetTypeID() -> CFTypeID {
    SecTrust.cfTypeID
}

/// Makes a trust object.
///
/// - Parameters:
///   - certificates: the certificate to be evaluated, or an array that begins with it; the others may lead from it to
///     an anchor.
///   - policies: a policy or an array of them; nil for the basic one.
///   - trust: receives the object.
/// - Returns: `errSecSuccess`; `errSecParam` for no certificate, and for anything else than certificates and policies.
///
/// See [SecTrustCreateWithCertificates](https://developer.apple.com/documentation/security/sectrustcreatewithcertificates(_:_:_:)).
@discardableResult
public func SecTrustCreateWithCertificates(
    _ certificates: CFTypeRef,
    _ policies: CFTypeRef?,
    _ trust: UnsafeMutablePointer<SecTrust?>
) -> OSStatus {
    guard let certificates = objects(SecCertificate.self, in: certificates), !certificates.isEmpty,
        let policies = policies.map({ objects(SecPolicy.self, in: $0) }) ?? [SecPolicyCreateBasicX509()],
        !policies.isEmpty
    else { return errSecParam }
    unsafe trust.pointee = SecTrust(certificates: certificates, policies: policies)
    return errSecSuccess
}

/// An object of a type, or an array of nothing else, as an array; nil for anything else.
func objects<Object: AnyObject>(_ type: Object.Type, in value: CFTypeRef) -> [Object]? {
    if let object = value as? Object { return [object] }
    guard let array = value as? NSArray else { return nil }
    var objects: [Object] = []
    for element in array {
        guard let object = element as? Object else { return nil }
        objects.append(object)
    }
    return objects
}
