package import Crypto
package import KeychainModel

/// An item's key and what it is to be bound to.
package struct UnwrappedItemKey: Sendable {
    package let binding: ItemBinding
    package let key: SymmetricKey

    package init(binding: ItemBinding, key: SymmetricKey) {
        self.binding = binding
        self.key = key
    }
}

/// An item's wrapped key and what it claims to be bound to.
package struct WrappedItemKey: Sendable {
    package let binding: ItemBinding
    package let box: [UInt8]

    package init(binding: ItemBinding, box: [UInt8]) {
        self.binding = binding
        self.box = box
    }
}

extension KeychainError {
    package static let damagedItemKey = KeychainError(.undecodable, "an item's key is not as it was wrapped")
}
