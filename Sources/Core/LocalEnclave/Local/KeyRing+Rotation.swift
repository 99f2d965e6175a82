import EnclaveInterface
import KeychainModel

/// Replacing the class keys.
extension KeyRing {
    func beginRotation() throws(KeychainError) -> EnclaveState {
        try editor.exclusively { () throws(KeychainError) in
            guard try !editor.keybagNow().isRotating else { return try locking.state() }
            let key = try editor.presentPasscodeKey()
            try editor.rewrite(with: key) { (draft, keys) throws(KeychainError) in
                try draft.addClassKeys(under: keys)
                return key
            }
            return try locking.state()
        }
    }

    func finishRotation(of generation: UInt64) throws(KeychainError) -> EnclaveState {
        try editor.exclusively { () throws(KeychainError) in
            let keybag = try editor.keybagNow()
            guard keybag.isRotating, keybag.generation == generation else { return try locking.state() }
            let key = try editor.presentPasscodeKey()
            try editor.rewrite(with: key) { (draft, _) throws(KeychainError) in
                draft.removeOlderKeys()
                return key
            }
            return try locking.state()
        }
    }
}
