import EnclaveInterface
import KeychainModel
import KeychainServiceClient

/// The first page, and what is done to the keychain as a whole.
extension AccessSite {
    func overview() throws(KeychainError) -> PageResponse {
        let state = try catalogue.state()
        let isLocked = state.map { $0.lock != .unlocked } ?? false
        var values: PageValues = ["state": facts(state), "isLocked": isLocked, "isOpen": !isLocked]
        // A locked keychain shows how it is locked, and nothing else.
        if let index = try? catalogue.index() {
            let counts = index.counts
            values["counts"] = ItemKind.allCases.map {
                ["name": $0.plural, "number": PageDate.number(counts[$0] ?? 0), "href": $0.path, "icon": $0.icon]
                    as PageValues
            }
            let recent = index.recent(8)
            values["recent"] = recent.map(\.row)
            values["hasRecent"] = !recent.isEmpty
        }
        if let view = try viewValues(from: "overview") { values["view"] = view }
        var warnings: [PageValues] = []
        if let state, !state.hasPasscode {
            warnings.append(
                [
                    "text": "The keychain has no passcode: anybody who can read its files can read your passwords.",
                    "help": "Set one in a terminal:", "command": "chatelaine passcode set",
                ]
            )
        }
        if !isLocked, let count = try? endingCertificates(), count > 0 {
            warnings.append(
                [
                    "text": count == 1
                        ? "A certificate has expired, or expires within 30 days."
                        : "\(PageDate.number(count)) certificates have expired, or expire within 30 days.",
                    "link": ["name": "Certificates", "href": ItemKind.certificate.path] as PageValues,
                ]
            )
        }
        warnings += self.warnings.map { text in
            [
                "text": ForeignText.shown(text, most: 1_000), "help": "All that was looked at:",
                "command": "chatelaine doctor",
            ]
        }
        values["warnings"] = warnings
        values["hasWarnings"] = !warnings.isEmpty
        return framed("overview", title: "Overview", in: "/", values)
    }

    private func facts(_ state: EnclaveState?) -> [PageValues] {
        func fact(_ name: String, _ value: String, isGood: Bool = false, isWarning: Bool = false) -> PageValues {
            ["name": name, "value": value, "isGood": isGood, "isWarning": isWarning]
        }
        guard let state else { return [fact("State", "There is no keychain yet. The first item makes one.")] }
        let binding =
            switch state.binding {
            case .tpm: "In the TPM of this machine"
            case .credential: "Handed over by systemd"
            case .file: "In a file in the keychain's folder"
            case .memory: "In the memory of one program"
            }
        return [
            fact("Lock", state.lock == .unlocked ? "Unlocked" : "Locked", isGood: state.lock != .unlocked),
            fact(
                "Passcode",
                state.hasPasscode ? (state.isPasscodeEnough ? "Set" : "Set, not confirmed") : "None",
                isGood: state.hasPasscode,
                isWarning: !state.hasPasscode
            ),
            fact("Device key", binding, isGood: state.binding == .tpm),
            fact("Place", place), fact("Locks itself", state.settings.text),
        ]
    }

    func lock() throws(KeychainError) -> PageResponse {
        try catalogue.keychain.control().lock()
        forget()
        return .redirect(to: "/")
    }

    /// The passcode is typed into a prompt, never into a page.
    func unlock() throws(KeychainError) -> PageResponse {
        let context = try catalogue.keychain.makeContext()
        defer { context.invalidate() }
        var question = PresenceRequest(.passcode)
        question.prompt.reason = "Unlock the keychain"
        try context.evaluate(question)
        return .redirect(to: "/")
    }
}

extension LockSettings {
    fileprivate var text: String {
        var parts: [String] = []
        if locksOnSleep { parts.append("when the machine sleeps") }
        if let timeout { parts.append("\(timeout) seconds after the last use") }
        return parts.isEmpty
            ? "Never"
            : parts.joined(separator: ", and ").prefix(1).uppercased() + parts.joined(separator: ", and ").dropFirst()
    }
}
