import Foundation
import LocalAuthentication
import Security

// A note that only its owner reads: by a finger or the passcode, or, with --finger, by a finger of today's alone.
//
//     guarded-note write [--finger] TEXT
//     guarded-note read
//     guarded-note delete

/// Which item it is.
func note() -> [CFString: Any] { [kSecClass: kSecClassGenericPassword, kSecAttrService: "guarded note"] }

struct Failure: Error, CustomStringConvertible {
    let status: OSStatus

    init(_ status: OSStatus) { self.status = status }

    var description: String {
        let sentence = SecCopyErrorMessageString(status, nil) as String? ?? "no such status"
        return "\(sentence) (\(status))"
    }
}

func check(_ status: OSStatus) throws {
    guard status == errSecSuccess else { throw Failure(status) }
}

func write(_ text: String, onlyByFinger: Bool) throws {
    var error: Unmanaged<CFError>?
    let control = SecAccessControlCreateWithFlags(
        nil,
        kSecAttrAccessibleWhenUnlockedThisDeviceOnly,
        onlyByFinger ? .biometryCurrentSet : .userPresence,
        &error
    )
    guard let control else { throw error?.takeRetainedValue() ?? Failure(errSecParam) as any Error }
    var item = note()
    item[kSecValueData] = Data(text.utf8)
    item[kSecAttrAccessControl] = control
    try check(SecItemAdd(item as CFDictionary, nil))
}

func read() throws -> String {
    let context = LAContext()
    context.localizedReason = "Read your note"
    var query = note()
    query[kSecReturnData] = true
    query[kSecUseAuthenticationContext] = context
    var result: CFTypeRef?
    try check(SecItemCopyMatching(query as CFDictionary, &result))
    return String(decoding: result as? Data ?? Data(), as: UTF8.self)
}

var arguments = Array(CommandLine.arguments.dropFirst())
let onlyByFinger = arguments.contains("--finger")
arguments.removeAll { $0 == "--finger" }
do {
    switch (arguments.first, arguments.count) {
    case ("write", 2): try write(arguments[1], onlyByFinger: onlyByFinger)
    case ("read", 1): print(try read())
    case ("delete", 1): try check(SecItemDelete(note() as CFDictionary))
    default:
        print("usage: guarded-note write [--finger] TEXT | read | delete")
        exit(2)
    }
} catch {
    print("\(error)")
    exit(1)
}
