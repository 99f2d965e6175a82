/// A keychain that a process with its files can verify and repair.
package protocol KeychainMaintenance: Sendable {
    /// Looks whether everything in the keychain is as it was written, and changes nothing.
    ///
    /// - Throws: `notAvailable` where there is no keychain to look at. Damage is no error: it is in the report.
    func verify() throws(KeychainError) -> VerificationReport

    /// Sets what is damaged aside and keeps the rest. Nothing is deleted.
    ///
    /// - Throws: what cannot be mended; then nothing has changed.
    func repair() throws(KeychainError) -> RepairReport
}

/// What looking a keychain over has shown. It holds nothing of what is in items.
package struct VerificationReport: Sendable {
    /// What was found to be wrong.
    package struct Problem: Sendable {
        package enum Remedy: Sendable, Equatable {
            /// Repairing sets it aside.
            case repair
            /// Only a copy of the file can mend it.
            case restore
            /// A person can mend it with a command of the system.
            case command(String)
            /// A newer version of the program knows it.
            case upgrade
            /// It mends itself at the next use.
            case none
        }

        /// A file's name, or the row of a class.
        package let place: String
        /// The rest of the sentence.
        package let message: String
        package let remedy: Remedy

        package init(_ place: String, _ message: String, remedy: Remedy) {
            self.place = place
            self.message = message
            self.remedy = remedy
        }
    }

    /// The rows of one class.
    package struct Counts: Sendable, Equatable {
        /// Items that open in all their parts.
        package var whole = 0
        /// Marks of deleted items, whole too.
        package var tombstones = 0
        /// Rows that do not open, and stand among the others.
        package var damaged = 0
        /// Rows that were set aside earlier.
        package var aside = 0
        /// Rows that cannot be judged before the keychain is unlocked.
        package var locked = 0

        package init() {}
    }

    /// The keychain's folder.
    package let path: String
    package var problems: [Problem] = []
    /// Empty where the database could not be opened.
    package var counts: [ItemClass: Counts] = [:]

    package init(path: String) {
        self.path = path
    }

    /// Whether nothing is wrong. Rows that were set aside are no damage any more.
    package var isWhole: Bool { problems.isEmpty }
}

/// What a repair has done.
package struct RepairReport: Sendable {
    package enum Outcome: Sendable, Equatable {
        /// Nothing was damaged, and nothing was changed.
        case nothingToDo
        /// Damaged rows were set aside where they are.
        case rowsSetAside
        /// A new database has what could be read; the damaged file has this name now.
        case replaced(damaged: String)
    }

    package let outcome: Outcome
    /// How many whole rows the keychain has now.
    package let kept: Int
    /// How many rows were read and did not open.
    package let setAside: Int
    /// The tables that may miss unknown rows: they could not be read to their end, or pages were damaged.
    package let incomplete: [ItemClass]

    package init(outcome: Outcome, kept: Int, setAside: Int, incomplete: [ItemClass] = []) {
        self.outcome = outcome
        self.kept = kept
        self.setAside = setAside
        self.incomplete = incomplete
    }
}
