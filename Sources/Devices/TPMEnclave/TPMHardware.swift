package import LocalEnclave

/// The TPM of this machine, for the keychains that are bound to it.
package struct TPMHardware: DeviceHardware {
    package let device: TPMDevice
    /// Whether new keychains are bound to it, where it is there.
    private let isPreferred: Bool

    package init(_ device: TPMDevice, isForNewKeychains: Bool) {
        self.device = device
        isPreferred = isForNewKeychains
    }

    /// A user who names a TPM gets no file in its place: where it is not there, no keychain is made.
    package var isForNewKeychains: Bool { isPreferred && (device.setting.namesOne || device.isThere) }

    package func binding(forKeyAt path: String) -> any DeviceBinding { TPMBinding(path: path, device: device) }
}
