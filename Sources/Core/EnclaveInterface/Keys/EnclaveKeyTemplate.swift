package import KeychainModel

/// What is decided of a private key before it is made.
package struct EnclaveKeyTemplate: Sendable {
    package let algorithm: EnclaveKeyAlgorithm
    package let accessGroup: String
    package let accessControl: AccessControl

    package init(_ algorithm: EnclaveKeyAlgorithm = .p256, accessGroup: String, accessControl: AccessControl) {
        self.algorithm = algorithm
        self.accessGroup = accessGroup
        self.accessControl = accessControl
    }
}
