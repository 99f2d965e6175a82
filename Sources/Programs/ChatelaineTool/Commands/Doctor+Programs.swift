import CodeSignature
import Foundation
import Glibc
import KeychainAccounts

extension Doctor {
    /// Looks for old versions of installed programs that lost their name with the marker on, and that a process has
    /// open: these can still be started as the installed program. Only root sees all processes' files.
    func replacedPrograms(_ report: inout DoctorReport) {
        guard geteuid() == 0, let group = GroupAccount.gid(named: ProgramInstaller.standardGroup) else { return }
        let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap(Int32.init) ?? []
        let places = processes.sorted().compactMap { process in
            Self.places(of: process).first { Self.isMarkedRemnant($0, group: group) }
        }
        if places.isEmpty {
            report.fine("no old version of an installed program is open with its marker")
        }
        for place in places {
            report.problem(
                "\(place) is an old version of an installed program, with its marker: chmod g-s \(place) takes it away;"
                    + " chatelaine install-app --from updates without leaving one"
            )
        }
    }

    private static func places(of process: Int32) -> [String] {
        let folder = "/proc/\(process)/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return ["/proc/\(process)/exe"] + names.map { folder + "/" + $0 }
    }

    private static func isMarkedRemnant(_ place: String, group: UInt32) -> Bool {
        var status = stat()
        guard unsafe stat(place, &status) == 0 else { return false }
        return status.st_mode & S_IFMT == S_IFREG && status.st_mode & S_ISGID != 0 && status.st_gid == group
            && status.st_nlink == 0
    }
}
