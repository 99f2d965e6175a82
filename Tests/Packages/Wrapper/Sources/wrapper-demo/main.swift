import Foundation
import Wrapper

// Prints who it is, and what it finds of its earlier run.
let keychain = Keychain()
print(keychain.service, keychain["runs"] ?? "nothing")
keychain["runs"] = "1"
