import EnclaveInterface
import Glibc
package import KeychainModel
import KeychainPolicy
import KeychainStore
import KeychainVault

extension KeychainDirectory {
    /// Looks over the keychain: files, keys, database, and every row in all its parts. It opens nothing to its caller,
    /// makes no keychain and changes none.
    ///
    /// - Throws: `notAvailable` where there is no keychain; `noPermission`.
    package func verify() throws(KeychainError) -> VerificationReport {
        guard exists(path) else { throw KeychainError(.notAvailable, "there is no keychain at \(path)") }
        guard try isAnythingThere() else {
            throw KeychainError(.notAvailable, "the folder \(path) holds no keychain")
        }
        var report = VerificationReport(path: path)
        verifyFiles(into: &report)
        let vault = verifyKeys(into: &report)
        verifyDatabase(with: vault, into: &report)
        return report
    }

    /// The version of the database's schema, and that to which the next use brings it.
    ///
    /// - Returns: nil where there is no database.
    /// - Throws: `notAvailable` for what is no database of ours, or a newer one; `noPermission`.
    package func databaseVersion() throws(KeychainError) -> (is: Int, next: Int)? {
        guard let file = try DatabaseFile.check(path: databasePath) else { return nil }
        return (Int(file.version), Int(DatabaseFile.newestVersion))
    }

    // MARK: - Files

    private func verifyFiles(into report: inout VerificationReport) {
        verifyMode(of: path, name: "the folder", kind: S_IFDIR, command: "chmod 700", into: &report)
        let journals = ["-wal", "-shm"].map { databasePath + $0 }
        let files = enclave.files + [databasePath]
        for file in files + [lockPath] + journals where exists(file) {
            verifyMode(of: file, name: name(of: file), kind: S_IFREG, command: "chmod 600", into: &report)
        }
        if exists(creationPath) {
            report.problems.append(
                .init(
                    "creating",
                    "says that the keychain was not made to its end; the next use does that",
                    remedy: .none
                )
            )
        } else {
            for file in files where !exists(file) {
                report.problems.append(
                    .init(name(of: file), "is missing; put it back from a copy", remedy: .restore)
                )
            }
        }
        if DatabaseReplacement(of: databasePath).isPending {
            report.problems.append(
                .init(name(of: databasePath), "is being repaired; the next use finishes that", remedy: .none)
            )
        }
    }

    private func name(of file: String) -> String {
        file.split(separator: "/").last.map(String.init) ?? file
    }

    private func verifyMode(
        of file: String,
        name: String,
        kind: mode_t,
        command: String,
        into report: inout VerificationReport
    ) {
        var status = stat()
        // The folder may be reached through a link, the files in it may not.
        guard unsafe (kind == S_IFDIR ? stat(file, &status) : lstat(file, &status)) == 0 else { return }
        guard status.st_mode & S_IFMT == kind else {
            report.problems.append(.init(name, "is a link, a pipe or the like", remedy: .restore))
            return
        }
        if status.st_uid != geteuid() {
            report.problems.append(.init(name, "belongs to another user", remedy: .command("chown")))
        }
        if status.st_mode & 0o077 != 0 {
            report.problems.append(.init(name, "can be opened by others", remedy: .command("\(command) '\(file)'")))
        }
    }

    // MARK: - Keys

    private func verifyKeys(into report: inout VerificationReport) -> KeychainVault? {
        do throws(KeychainError) {
            return try KeychainVault(enclave.open())
        } catch {
            // What is missing or open to others was said already.
            if enclave.files.allSatisfy(exists) {
                report.problems.append(
                    .init(
                        "keys",
                        "cannot be opened: \(error.message). Without them no item can be opened, nor be repaired",
                        remedy: .restore
                    )
                )
            }
            return nil
        }
    }

    // MARK: - The database

    private func verifyDatabase(
        with vault: KeychainVault?,
        into report: inout VerificationReport
    ) {
        guard exists(databasePath) else { return }
        let place = name(of: databasePath)
        let inspection: DatabaseInspection
        do throws(KeychainError) {
            inspection = try DatabaseInspection(path: databasePath)
        } catch {
            let isNewer = (try? DatabaseFile.isNewer(path: databasePath)) ?? false
            report.problems.append(
                .init(place, "cannot be opened: \(error.message)", remedy: isNewer ? .upgrade : .repair)
            )
            return
        }
        let faults = inspection.faults
        for fault in faults {
            report.problems.append(.init(place, "is damaged: \(fault)", remedy: .repair))
        }
        for object in inspection.strangeObjects {
            report.problems.append(.init(place, "has another schema than the keychain's: \(object)", remedy: .repair))
        }
        for accessibility in Accessibility.allCases where inspection.seals(of: accessibility) == nil {
            report.problems.append(
                .init(
                    place,
                    "does not say how many rows the key of class \(accessibility.rawValue) has sealed",
                    remedy: .repair
                )
            )
        }
        guard let vault else { return }
        if let problem = verifyHeader(inspection.header, with: vault) {
            report.problems.append(.init(place, problem.message, remedy: problem.remedy))
        }
        for itemClass in ItemClass.stored {
            verifyRows(of: itemClass, in: inspection, with: vault, into: &report)
        }
        verifyCircle(in: inspection, with: vault, into: &report)
    }

    /// Whether what the keychain knows of its circle opens. Items are not touched by it.
    private func verifyCircle(
        in inspection: DatabaseInspection,
        with vault: KeychainVault,
        into report: inout VerificationReport
    ) {
        guard let pieces = inspection.circlePieces else { return }
        let isDamaged = pieces.contains { key, value in
            // Before the first unlock nobody can tell.
            (try? vault.open(circlePiece: value, key: key)) == .some(nil)
        }
        guard isDamaged else { return }
        report.problems.append(
            .init(
                "circle",
                "is damaged: what this keychain knows of its owner's other devices. Leave it and join again",
                remedy: .command("chatelaine sync leave --without-telling")
            )
        )
    }

    private func verifyHeader(
        _ header: Header?,
        with vault: KeychainVault
    ) -> (message: String, remedy: VerificationReport.Problem.Remedy)? {
        guard let header else { return ("has lost its header row", .repair) }
        do throws(KeychainError) {
            try header.check(against: vault)
            return nil
        } catch {
            // One that is authentic is of another state of the keybag, which no repair can bring back.
            return (
                "does not belong to the keybag: \(error.message)",
                header.isAuthentic(under: vault) ? .restore : .repair
            )
        }
    }

    private func verifyRows(
        of itemClass: ItemClass,
        in inspection: DatabaseInspection,
        with vault: KeychainVault,
        into report: inout VerificationReport
    ) {
        let authorization = KeychainPolicy(hasPasscode: vault.state.hasPasscode).authorizeInspection()
        var counts = VerificationReport.Counts()
        var problems: [VerificationReport.Problem] = []
        do throws(KeychainError) {
            try inspection.forEachRow(of: itemClass) { stored, isAside in
                if isAside {
                    counts.aside += 1
                    return
                }
                switch vault.inspect(stored.row, for: authorization) {
                case .whole where stored.row.isTombstone: counts.tombstones += 1
                case .whole: counts.whole += 1
                case .locked: counts.locked += 1
                case .damaged(let part):
                    counts.damaged += 1
                    problems.append(.init(Self.place(of: stored), part.complaint, remedy: .repair))
                }
            }
        } catch {
            problems.append(.init("table \(itemClass.rawValue)", "cannot be read to its end", remedy: .repair))
        }
        report.counts[itemClass] = counts
        report.problems += problems
    }

    private static func place(of stored: StoredItem) -> String {
        let row = stored.row
        let name = stored.isWellFormed ? " \(row.uuid), group \(row.accessGroup)" : " number \(stored.rowNumber)"
        return "row \(row.itemClass.rawValue)" + name
    }
}

extension RowCondition.Part {
    /// The end of a sentence that starts with the row.
    fileprivate var complaint: String {
        switch self {
        case .columns: "has a column that is not as it was sealed"
        case .attributes: "has attributes or filter columns that are not as they were sealed"
        case .key: "has a key that does not open, and so no value"
        case .secret: "has a value that does not open"
        }
    }
}
