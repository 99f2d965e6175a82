/// Which kernel a program sees. The one of a test is the machine's; an older one answers as Debian 12's does (6.1):
/// no SO_PEERPIDFD, no STATX_MNT_ID_UNIQUE, no PR_SET_MDWE, no PIDFD_GET_INFO, no memfd_secret(2).
package enum SeenKernel: String, CaseIterable, Sendable {
    case ofMachine
    case older

    /// What a program and its arguments are put behind. It needs the program `kernel-filter` beside the tests.
    package var wrapper: [String] {
        switch self {
        case .ofMachine: []
        case .older: [ServiceProcess.program("kernel-filter"), "older"]
        }
    }

    /// What ends a program that asks for what the service's units forbid (`SystemCallFilter=~@resources`).
    package static var forbiddingResources: [String] { [ServiceProcess.program("kernel-filter"), "no-resources"] }
}
