// What Apple's CryptoKit has, under its name: swift-crypto, and the Secure Enclave beside it.
@_exported public import Crypto
@_exported public import CryptoSecureEnclave
