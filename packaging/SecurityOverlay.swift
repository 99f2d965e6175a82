// Whoever imports Security and FoundationNetworking gets this module besides (docs/decisions/0049).
@_exported import Security
