import ArgumentParser
import CKeychainLinux
import CodeSignature
import EnclaveInterface
import Foundation
import Glibc
import KeychainAccounts
import KeychainClient
import KeychainModel
import KeychainProtocol
import Terminal

struct Doctor: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "doctor",
        abstract: "Say how programs reach their keychain here, who you are to it, and what is missing.",
        discussion: """
            Ends with 1 where something is wrong. What is merely not there, such as a feature of a newer kernel, is \
            marked with a dash and says what it costs.
            """
    )

    @Option(
        help: ArgumentHelp("The TPM to check: auto, none, device:PATH or swtpm:path=PATH.", valueName: "tpm")
    )
    var tpm: String = "auto"

    func run() throws {
        var report = DoctorReport()
        keychain(&report)
        lock(&report)
        sockets(&report)
        system(&report)
        kernel(&report)
        try trustedPlatformModule(&report)
        Console.print(report.text)
        if report.hasProblem { throw ExitCode(1) }
    }

    // MARK: - This program's keychain

    private func keychain(_ report: inout DoctorReport) {
        report.begin("The keychain of a program like this one")
        do throws(KeychainError) {
            switch try KeychainLocation.current() {
            case .memory: report.note("is in the program's own memory (\(KeychainLocation.variable))")
            case .embedded(let directory):
                report.note("is embedded, in \(directory): no program is kept from another")
                try version(in: directory, &report)
            case .service(let address):
                report.fine("is with the service at \(address.path)")
                try identity(ServiceConnection(address), &report)
            }
        } catch {
            report.problem(error.message)
        }
    }

    private func identity(_ service: ServiceConnection, _ report: inout DoctorReport) throws(KeychainError) {
        let identity = try service.identity()
        switch identity.kind {
        case .installed: report.fine("knows this program as \(identity.name), signed and installed")
        case .signed: report.note("knows this program as \(identity.name), signed")
        case .unsigned: report.fine("knows this program as \(identity.name), unsigned")
        }
        for deficiency in identity.deficiencies where identity.kind == .signed { report.note("because \(deficiency)") }
        report.fine("gives it the access groups " + identity.groups.joined(separator: ", "))
        let status = try service.status()
        report.fine(
            "runs version \(status.version), in \(status.mode.rawValue) mode, for \(Int(status.uptime)) seconds"
        )
        if let version = status.databaseVersion { report.fine("has a database of version \(version)") }
        if let room = status.room.flatMap(RoomText.init) {
            report.require(!room.isScarce, room.sentence, room.sentence)
        }
    }

    private func version(in directory: String, _ report: inout DoctorReport) throws(KeychainError) {
        let keychain = EmbeddedKeychain(
            .embedded(directory: directory),
            caller: Caller(name: "chatelaine", groups: AccessGroups([]))
        )
        guard let version = try keychain.databaseVersion() else { return report.note("does not exist yet") }
        if version.is == version.next {
            report.fine("has a database of version \(version.is)")
        } else {
            report.note("has a database of version \(version.is); the next use brings it to version \(version.next)")
        }
    }

    // MARK: - Its lock

    private func lock(_ report: inout DoctorReport) {
        report.begin("The lock of that keychain")
        do throws(KeychainError) {
            let place = LockText.place(try KeychainLocation.current())
            if place.isGuarded { report.fine(place.sentence) } else { report.note(place.sentence) }
            let state = try CurrentKeychain.control().state()
            let text = LockText(state: state)
            report.prefer(state.binding == .tpm || state.binding == .credential, text.binding, text.binding)
            report.prefer(
                state.hasPasscode,
                "there is a passcode",
                "there is no passcode (chatelaine passcode set): anybody with the device key can read everything"
            )
            guard state.hasPasscode else { return }
            if text.isUnconfirmed {
                report.note("the passcode is unconfirmed: it was set when any program of yours could set it")
                report.note("until you confirm it, root alone makes backups (chatelaine passcode confirm)")
            }
            report.fine("it is \(text.lock)")
            report.fine("it locks \(text.settings)")
            if state.isRotating { report.note("items are being given new keys") }
            if let limit = state.settings.wipesAfter {
                report.note("its keys are destroyed after \(limit) wrong passcodes in a row")
            }
        } catch  where error.code == .itemNotFound {
            report.note("there is no keychain yet")
        } catch {
            report.problem(error.message)
        }
    }

    // MARK: - The services

    private func sockets(_ report: inout DoctorReport) {
        let places = WellKnownPlaces.ofThisMachine
        report.begin("Services")
        probe(ServiceAddress(path: places.systemSocket, kind: .system), "system", &report)
        let session = places.sessionSocket(in: Environment["XDG_RUNTIME_DIR"])
        probe(ServiceAddress(path: session, kind: .session), "session", &report)
    }

    private func probe(_ address: ServiceAddress, _ name: String, _ report: inout DoctorReport) {
        guard WellKnownPlaces.isThere(address.path) else {
            report.note("no \(name) service: nothing listens at \(address.path)")
            return
        }
        do throws(KeychainError) {
            _ = try ServiceConnection(address, deadlines: Self.impatient).status()
            report.fine("the \(name) service answers at \(address.path)")
        } catch {
            report.problem("the \(name) service does not: \(error.message)")
        }
    }

    private static var impatient: Deadlines {
        var deadlines = Deadlines()
        (deadlines.handshake, deadlines.request, deadlines.restart) = (.seconds(3), .seconds(3), .zero)
        return deadlines
    }

    // MARK: - The machine

    private func system(_ report: inout DoctorReport) {
        let places = WellKnownPlaces.ofThisMachine
        guard WellKnownPlaces.isThere(places.systemFolder) else { return }
        report.begin("The system's service")
        for user in ["chatelaine", "chatelaine-identify", EnclavePlaces.user] {
            report.require(UserAccount(name: user) != nil, "user \(user)", "the user \(user) is missing")
        }
        let group = ProgramInstaller.standardGroup
        report.require(GroupAccount.gid(named: group) != nil, "group \(group)", "the group \(group) is missing")
        var status = stat()
        let isSound =
            unsafe lstat(places.systemFolder, &status) == 0 && status.st_uid == 0 && status.st_mode & 0o022 == 0
        report.require(
            isSound,
            "\(places.systemFolder) is root's",
            "\(places.systemFolder) does not belong to root, or others can write to it"
        )
        teams(&report)
        replacedPrograms(&report)
    }

    private func teams(_ report: inout DoctorReport) {
        do throws(KeychainError) {
            let entries = try TrustedTeams(directory: TrustedTeams.standardDirectory, owner: .root).list()
            let trusted = entries.count { if case .trusted = $0.state { true } else { false } }
            report.fine("\(trusted) trusted teams in \(TrustedTeams.standardDirectory)")
            for entry in entries {
                if case .unusable(let reason) = entry.state { report.problem("\(entry.file): \(reason)") }
            }
        } catch {
            report.problem(error.message)
        }
    }

    private func kernel(_ report: inout DoctorReport) {
        report.begin("The kernel")
        report.require(
            clinux_has_pidfd(),
            "processes can be held (pidfd_open)",
            "pidfd_open(2) is missing (Linux 5.3): no caller can be identified"
        )
        report.prefer(
            clinux_has_peer_pidfd(),
            "sockets name the process that connected (SO_PEERPIDFD)",
            "no SO_PEERPIDFD (Linux 6.5): the program that connected is looked for by its process number; nothing that "
                + "another process sends is taken all the same"
        )
        report.prefer(
            clinux_has_unique_mount(),
            "mounts have numbers that are not used again (STATX_MNT_ID_UNIQUE)",
            "no STATX_MNT_ID_UNIQUE (Linux 6.8): the service watches the files of programs that it has read; one that it "
                + "may not read is read again at each connection"
        )
        report.prefer(
            clinux_has_pidfd_information(),
            "processes tell their ids by a descriptor (PIDFD_GET_INFO)",
            "no PIDFD_GET_INFO (Linux 6.13): ids are read in /proc, which takes a little longer"
        )
        report.require(
            clinux_has_wipe_on_fork(),
            "memory can be wiped at a fork (MADV_WIPEONFORK)",
            "no MADV_WIPEONFORK (Linux 4.14): forks that avoid the C library are not noticed"
        )
        report.prefer(
            clinux_has_memory_deny_write_execute(),
            "memory can be kept from becoming code (PR_SET_MDWE)",
            "no PR_SET_MDWE (Linux 6.3): under systemd, MemoryDenyWriteExecute= does the same; a service that is started "
                + "by hand goes without"
        )
        report.prefer(
            clinux_has_secret_memory(),
            "memory can be hidden from the kernel's readers (memfd_secret)",
            "no memfd_secret(2): keys are in locked memory, which is never swapped, but root can read it; Linux has it "
                + "since 5.14, on some kernels only with secretmem.enable=1 on the kernel's command line"
        )
        let scope = try? String(contentsOfFile: "/proc/sys/kernel/yama/ptrace_scope", encoding: .utf8)
        switch scope?.first {
        case nil: report.note("Yama is not there: any process can look into others of its user that let it")
        case "0": report.note("Yama's ptrace_scope is 0: any process can look into others of its user that let it")
        case let scope?: report.fine("Yama's ptrace_scope is \(scope)")
        }
        report.prefer(
            unsafe access("/run/systemd/system", F_OK) == 0,
            "systemd runs",
            "systemd does not run: somebody else has to start the service"
        )
    }
}
