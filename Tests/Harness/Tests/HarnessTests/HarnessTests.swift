import Foundation
import Testing

@Test func `a test that passes`() {}

@Test func `a test that fails`() {
    #expect(Bool(false), "as it should")
}

@Test(.enabled(if: false, "has a reason")) func `a test that is skipped`() {}

/// The daemons leave the process group and the session, and hold the output open. Root's also mount a file system, and go
/// into namespaces of processes, mounts and networks.
@Test func `a test that leaves a daemon behind`() throws {
    let daemon = Process()
    daemon.executableURL = URL(filePath: "/bin/sh")
    let namespaces = geteuid() == 0 ? "unshare --pid --fork --mount --net" : ""
    daemon.arguments = [
        "-c",
        """
        if [ "$(id -u)" = 0 ]; then
            mkdir -p "$HARNESS_FOLDER/mount" && mount -t tmpfs harness "$HARNESS_FOLDER/mount"
        fi
        setsid \(namespaces) sleep "$HARNESS_SECONDS" & setsid sh -c 'sleep "$HARNESS_SECONDS"' &
        touch "$TMPDIR/harness-$HARNESS_SECONDS"
        sleep 0.2
        touch "$HARNESS_FOLDER/started"
        """,
    ]
    try daemon.run()
    // Foundation would wait for the daemons, too.
    let folder = try #require(ProcessInfo.processInfo.environment["HARNESS_FOLDER"])
    while !FileManager.default.fileExists(atPath: folder + "/started") { usleep(10_000) }
}

@Test(.enabled(if: ProcessInfo.processInfo.environment["HARNESS_HANGS"] != nil, "only where it is asked for"))
func `a test that hangs`() {
    while true { sleep(1) }
}

@Test(.enabled(if: ProcessInfo.processInfo.environment["HARNESS_CRASHES"] != nil, "only where it is asked for"))
func `a test that crashes`() {
    // After the others have ended.
    sleep(2)
    fatalError("as it should")
}
