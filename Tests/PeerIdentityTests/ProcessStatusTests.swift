import PeerIdentity
import Testing

struct ProcessStatusTests {
    private func text(name: String = "program", _ lines: String = "") -> [UInt8] {
        Array(
            """
            Name:\t\(name)
            Umask:\t0022
            State:\tS (sleeping)
            Tgid:\t4242
            Ngid:\t0
            Pid:\t4243
            PPid:\t1
            TracerPid:\t7
            Uid:\t1000\t1001\t1002\t1003
            Gid:\t2000\t2001\t2002\t2003
            Groups:\t4 24 27
            NSpid:\t4242\t17
            CapPrm:\t0000000800000000
            NoNewPrivs:\t1
            Seccomp:\t2
            \(lines)
            """.utf8
        )
    }

    @Test func `all ids, flags and namespaces are read`() throws {
        let status = try #require(ProcessStatus(text()))
        #expect(status.pid == 4242)
        #expect(status.tracer == 7)
        #expect(status.uids == ProcessIDs(real: 1000, effective: 1001, saved: 1002, fileSystem: 1003))
        #expect(status.gids == ProcessIDs(real: 2000, effective: 2001, saved: 2002, fileSystem: 2003))
        #expect(status.pidNamespaceDepth == 2)
        #expect(status.permittedCapabilities == 1 << 35)
        #expect(status.noNewPrivileges)
        #expect(status.seccompMode == 2)
    }

    @Test(arguments: ["a) S 1 (b", "Uid:", "\\nUid:\\t0\\t0\\t0\\t0", "\u{1}\u{7F}"])
    func `a process's name for itself says nothing about its ids`(_ name: String) throws {
        let status = try #require(ProcessStatus(text(name: name)))
        #expect(status.uids.real == 1000)
    }

    @Test(arguments: ["x\nUid:\t0\t0\t0\t0", "x\nTracerPid:\t0"])
    func `nothing is believed where a line is there twice`(_ name: String) {
        #expect(ProcessStatus(text(name: name)) == nil)
    }

    @Test(arguments: ["Tgid", "TracerPid", "Uid", "Gid", "NSpid", "CapPrm", "NoNewPrivs", "Seccomp"])
    func `nothing is believed where a line is missing`(_ line: String) {
        let rest = String(decoding: text(), as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix(line + ":") }
        #expect(ProcessStatus(Array(rest.joined(separator: "\n").utf8)) == nil)
    }

    @Test(arguments: ["", "Uid", "\u{0}", "Uid:\t1\t2\t3"])
    func `what is no status is none`(_ text: String) {
        #expect(ProcessStatus(Array(text.utf8)) == nil)
    }
}

struct MountTableTests {
    private let text = """
        22 27 0:21 / /proc rw,relatime - proc proc rw
        31 27 8:1 / / rw,relatime shared:1 master:2 - ext4 /dev/sda1 rw
        40 31 0:40 / /home/a\\040b\\012c/x rw,nosuid,nodev,relatime - fuse.sshfs host: rw,user_id=1000
        41 31 7:0 / /media/- ro,nosuid - fuseblk /dev/loop0 ro
        """

    @Test func `what matters of a mount is read`() throws {
        let table = try #require(MountTable(Array(text.utf8)))
        for (number, isRestricted) in [(UInt64(31), false), (40, true), (41, true)] {
            let mount = try #require(table.mount(number))
            #expect(mount.ignoresSetID == isRestricted)
            #expect(mount.isInUserSpace == isRestricted)
        }
        #expect(table.mount(23) == nil)
    }

    @Test(arguments: [
        "31 27 8:1 / / rw", "x 27 8:1 / / rw - ext4 /dev/sda1 rw", "31 27 8:1 / / rw,relatime shared:1 ext4 a b",
    ])
    func `a table with a line that is none is not believed`(_ line: String) {
        #expect(MountTable(Array((text + "\n" + line).utf8)) == nil)
    }
}
