/// Where the enclave's process listens.
package enum EnclavePlaces {
    /// The name of the socket for those who bring a passcode, in the folder of the keychain service's own socket.
    package static let controlSocketName = "enclave.sock"

    /// The system's such socket.
    package static let controlSocket = "/run/chatelaine/" + controlSocketName

    /// Where a service in system mode finds the enclave that systemd started.
    package static let serviceSocket = "/run/chatelaine/enclave-service.sock"

    /// The user that the system's enclave runs as.
    package static let user = "chatelaine-enclave"

    /// The enclave's own folder: `users/UID` has the device key, the keybag and the count of wrong passcodes.
    package static let directory = "/var/lib/chatelaine-enclave"
}
