import AppState
import Foundation
import Networking
import TokenStore

let status = SecItemCopyMatching([kSecClass: kSecClassGenericPassword] as CFDictionary, nil)
guard status == errSecItemNotFound else { fatalError("\(status)") }
print(networkingSees, stateSees, tokensSee, trustEvaluators(), separator: ", ")
