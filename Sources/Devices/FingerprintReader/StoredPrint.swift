/// What kind of print one of fprintd's files holds.
///
/// libfprint 1.94 writes a file as the three characters `FP3` and a GVariant `(issbymsmsia{sv}v)` in little-endian order
/// (GVariant Specification 2.5): the print's type (1 raw, 2 NBIS), its driver, its device, whether it is stored on the
/// device, and more. A driver must say of any print that is merely a handle for what is on the device that it is stored
/// there (libfprint, `fpi_print_set_device_stored`).
package enum StoredPrint: Sendable, Hashable {
    /// The points by which this machine's processor compares fingers.
    case minutiae
    /// A template of the driver's own making. It is all there is of the print, unless the driver does not keep to its rule.
    case driversOwn
    /// A handle for what the reader keeps and compares by itself, which may change while the file does not.
    case onChip
    /// None of these: nothing is known of what it stands for.
    case unrecognized

    init(file bytes: some Collection<UInt8>) {
        guard bytes.starts(with: Array("FP3".utf8)) else {
            self = .unrecognized
            return
        }
        let tuple = bytes.dropFirst(3)
        let type = Array(tuple.prefix(4))
        // The driver's name and the device's, each with a NUL at its end.
        let afterDriver = tuple.dropFirst(4).drop { $0 != 0 }.dropFirst()
        let afterDevice = afterDriver.drop { $0 != 0 }.dropFirst()
        switch (type, afterDevice.first) {
        case ([1, 0, 0, 0], 1), ([2, 0, 0, 0], 1): self = .onChip
        case ([1, 0, 0, 0], 0): self = .driversOwn
        case ([2, 0, 0, 0], 0): self = .minutiae
        default: self = .unrecognized
        }
    }
}
