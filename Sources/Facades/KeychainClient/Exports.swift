// Whoever has all of a process's keychain has the part of it that speaks to the service.
@_exported public import KeychainServiceClient
