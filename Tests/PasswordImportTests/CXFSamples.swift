import Crypto
import Foundation
import KeychainModel

@testable import PasswordImport

/// Files in the Credential Exchange Format, as programs write them.
enum CXFSamples {
    static let key = P256.Signing.PrivateKey()

    static var keyText: String { base64(key.derRepresentation) }

    static func base64(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: Base64URL.encode(bytes), as: UTF8.self)
    }

    /// As a manager with vaults writes it: every member that the format has, folders, tags and other kinds of credentials.
    static var whole: String {
        """
        {"version": {"major": 1, "minor": 0}, "exporterRpId": "manager.example", "exporterDisplayName": "Manager",
         "timestamp": 1757000000, "accounts": [{"id": "YWNjb3VudA", "username": "me", "email": "me@example.org",
          "fullName": "Me Myself", "extensions": [], "collections": [{"id": "Y29sbDE", "creationAt": 1757000000,
           "title": "Work", "subtitle": "of all", "items": [{"item": "aXRlbTk", "account": "b3RoZXI"}],
           "subCollections": [{"id": "Y29sbDI", "title": "Banks", "items": [{"item": "aXRlbTE", "account": "YWNjb3VudA"}]}]}],
          "items": [
           {"id": "aXRlbTE", "creationAt": 1757000000, "modifiedAt": 1757000001, "title": "Bank", "subtitle": "mine",
            "favorite": true, "tags": ["money"], "extensions": [{"name": "shared", "accessors": []}],
            "scope": {"urls": ["https://bank.example/login", "https://other.example"],
             "androidApps": [{"bundleId": "example.bank", "certificate": {"fingerprint": "AQ", "hashAlg": "sha256"}}]},
            "credentials": [
             {"type": "basic-auth", "username": {"id": "Zg", "fieldType": "string", "value": "me", "label": "Name"},
              "password": {"fieldType": "concealed-string", "value": "p\\"\\u00e4"}},
             {"type": "totp", "secret": "JBSWY3DPEHPK3PXP", "period": 30, "digits": 6, "username": "me",
              "algorithm": "sha256", "issuer": "Bank"},
             {"type": "note", "content": {"fieldType": "string", "value": "first"}},
             {"type": "note", "content": {"fieldType": "string", "value": "second"}},
             {"type": "custom-fields", "label": "More", "fields": [{"fieldType": "string", "value": "1", "label": "PIN"}]},
             {"type": "file", "id": "Zg", "name": "scan.pdf", "decryptedSize": 5, "integrityHash": "AQ"}]},
           {"id": "aXRlbTI", "title": "Recovery", "credentials": [{"type": "note", "content": {"fieldType": "string",
            "value": "n"}}]},
           {"id": "aXRlbTM", "title": "Visa", "credentials": [{"type": "credit-card", "number": {"fieldType":
            "concealed-string", "value": "4111"}, "expiryDate": {"fieldType": "year-month", "value": "2030-01"}},
            {"type": "note", "content": {"fieldType": "string", "value": "of the card"}}]},
           {"id": "aXRlbTQ", "title": "Me", "credentials": [{"type": "person-name"}, {"type": "address"},
            {"type": "passport"}]},
           {"id": "aXRlbTU", "title": "Server", "credentials": [{"type": "ssh-key", "keyType": "ssh-ed25519",
            "privateKey": "AQ"}]},
           {"id": "aXRlbTY", "title": "Home", "credentials": [{"type": "wifi", "ssid": {"fieldType": "string",
            "value": "home"}}]},
           {"id": "aXRlbTc", "title": "Cloud", "credentials": [{"type": "api-key"}]},
           {"id": "aXRlbTg", "title": "New", "credentials": [{"type": "brain-scan/\\u001b[31m\(String(repeating: "x", count: 99))"}]}
          ]}]}
        """
    }

    /// One account alone, as Apple's migration gives it: dates are text, and most members are missing.
    static var account: String {
        """
        {"id": "QUJD", "userName": "", "email": "me@example.org", "collections": [], "items": [
         {"id": "MQ", "creationAt": "2026-01-01T00:00:00Z", "title": "site.example", "credentials": [
          {"type": "basic-auth", "username": {"fieldType": "string", "value": "me"},
           "password": {"fieldType": "concealed-string", "value": "secret"}}, \(passkey(extensions: nil))],
          "scope": {"urls": ["https://site.example/"], "androidApps": []}},
         {"id": "Mg", "title": "code.example", "credentials": [{"type": "totp", "secret": "jbsw y3dp ehpk 3pxp", "period": 60,
          "digits": 8, "username": "you", "algorithm": "sha1"}]}]}
        """
    }

    /// A passkey's credential.
    static func passkey(key: String = keyText, extensions: String?) -> String {
        """
        {"type": "passkey", "credentialId": "AQIDBA", "rpId": "site.example", "username": "me",
         "userDisplayName": "Me Myself", "userHandle": "aGFuZGxl", "key": "\(key)"
         \(extensions.map { ", \"fido2Extensions\": \($0)" } ?? "")}
        """
    }

    /// A document with one entry.
    static func item(_ credentials: String, _ members: String = "") -> String {
        """
        {"version": {"major": 1, "minor": 0}, "accounts": [{"id": "AQ", "collections": [], "items": [{"id": "Ag",
         "title": "Entry"\(members), "credentials": [\(credentials)]}]}]}
        """
    }
}

extension SecretBytes {
    var testText: String { unsafe withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) } }
    var testBytes: [UInt8] { unsafe withUnsafeBytes { unsafe Array($0) } }
}
