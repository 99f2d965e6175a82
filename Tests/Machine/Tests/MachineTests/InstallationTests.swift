import Machine
import Testing

extension Scenarios {
    @Suite(.serialized) struct InstallationTests {
        @Test func `the package brings all that it needs, starts, and leaves no unit failed`() throws {
            try Installed.scenario { machine in
                try #require(machine.root("systemctl --failed --no-legend --plain").text.isEmpty)
                for unit in ["chatelained", "chatelaine-identify", "chatelaine-enclave", "chatelaine-enclave-service"] {
                    try machine.root("systemctl is-active \(unit).socket")
                }
                try machine.root("systemctl is-active chatelaine-prompt.service")
                let doctor = try machine.run(as: "alice", "chatelaine doctor", status: nil)
                try #require(doctor.says("in system mode"))
                try machine.root("apt-get check && dpkg --audit && dpkg --verify chatelaine")
            }
        }
    }
}
