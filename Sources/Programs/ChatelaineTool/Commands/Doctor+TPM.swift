import KeychainModel
import TPMEnclave

extension Doctor {
    /// Whether there is a TPM, and how near it is to its lock-out.
    func trustedPlatformModule(_ report: inout DoctorReport) throws(KeychainError) {
        let device = TPMDevice(try TPMSetting(tpm), timeout: Self.patience)
        report.begin("The TPM")
        do throws(TPMFailure) {
            let properties = try device.properties()
            report.fine("answers at \(device.place) (made by \(properties.manufacturer))")
            _ = try device.withSession { (session, _) throws(TPMFailure) in try session.random() }
            report.fine("can be used, with encrypted sessions")
            tries(properties, &report)
        } catch {
            switch error.reason {
            // What most machines have no need of, and what only the service has to be able to.
            case .absent, .notBuiltIn, .noLibrary: report.note(error.sentence(at: device.place))
            case .noPermission: report.note("there is one at \(device.place), which you may not open; the service may")
            default: report.problem(error.sentence(at: device.place))
            }
        }
    }

    private func tries(_ properties: TPMProperties, _ report: inout DoctorReport) {
        let interval = "forgives one in \(properties.interval) seconds"
        if properties.isLockedOut {
            report.problem("is locked out after \(properties.failedTries) wrong authorisations, and \(interval)")
        } else if properties.allowedTries <= properties.reserve {
            report.problem(
                "locks itself out at the first wrong passcode; allow more (tpm2_dictionarylockout --max-tries)"
            )
        } else if !properties.allowsTry {
            report.problem("takes no passcode now: \(properties.failedTries) were wrong, and it \(interval)")
        } else {
            report.fine(
                "has seen \(properties.failedTries) of \(properties.allowedTries) wrong authorisations, and \(interval)"
            )
        }
    }

    /// Milliseconds for a command.
    private static let patience: Int32 = 3_000
}
