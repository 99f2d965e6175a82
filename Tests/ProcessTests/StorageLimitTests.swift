import Foundation
import GRDB
import KeychainModel
import KeychainTestSupport
import Testing

/// Disks that are full, read-only or somebody else's.
@Suite("Where the keychain cannot be written")
struct StorageLimitTests {
    /// Runs shell commands in a mount namespace of their own. `$probe` is the probe, `$folder` the keychain's folder.
    private func run(_ keychain: TestKeychain, _ script: String) throws -> [String] {
        let output = keychain.surroundings + "/script-output"
        _ = FileManager.default.createFile(atPath: output, contents: nil)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["unshare", "-rm", "sh", "-c", script]
        process.environment = ProcessInfo.processInfo.environment.merging([
            "CHATELAINE_KEYCHAIN": keychain.variable, "probe": ProbeProcess.executable, "folder": keychain.path,
            "disk": keychain.surroundings + "/disk",
        ]) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: output))
        process.standardError = FileHandle.nullDevice
        try process.runHearingSignals()
        process.waitForExit()
        return try String(contentsOfFile: output, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test(.enabled(if: Machine.allowsMounting, "needs unshare with user and mount namespaces"))
    func
        `on a full disk an add is errSecDiskFull, and nothing is lost (needs namespaces)`()
        throws
    {
        let keychain = try TestKeychain()
        let lines = try run(
            keychain,
            """
            mkdir -p $folder && mount -t tmpfs -o size=1500k,mode=700 none $folder
            echo filling; $probe fill a 3000
            echo again; $probe add b 1
            echo reading; $probe accounts
            dd if=/dev/zero of=$folder/filler bs=512 >/dev/null 2>&1
            echo fuller; $probe add b 1; $probe find a-0
            rm $folder/filler
            $probe delete a-0
            echo deleted; $probe accounts
            mount -o remount,size=8m $folder
            echo room; $probe add b 1; $probe accounts
            echo check; sqlite3 $folder/keychain.db 'PRAGMA integrity_check'
            umount $folder
            """
        )
        func section(_ name: String, _ end: String) -> [String] {
            guard let start = lines.firstIndex(of: name), let stop = lines.firstIndex(of: end) else { return ["?"] }
            return Array(lines[(start + 1)..<stop])
        }
        let filled = section("filling", "again")
        #expect(filled.last == "refused -34")
        #expect(filled.count > 20)
        let acknowledged = Set(filled.dropLast())
        #expect(section("again", "reading") == ["-34"])
        #expect(Set(section("reading", "fuller")) == acknowledged)
        #expect(section("fuller", "deleted").prefix(2) == ["-34", "0"])
        let kept = Set(section("deleted", "room"))
        #expect(kept.union(["a-0"]) == acknowledged)
        let room = section("room", "check")
        #expect(room.first == "0")
        #expect(Set(room.dropFirst()) == kept.union(["b-0"]))
        #expect(lines.last == "ok")
    }

    @Test(.enabled(if: Machine.allowsMounting, "needs unshare with user and mount namespaces"))
    func `a keychain cannot be made on a full disk, and can be when there is room (needs namespaces)`() throws {
        let keychain = try TestKeychain()
        // Every size at which another step of the making fails.
        let lines = try run(
            keychain,
            """
            mkdir -p $disk
            for size in 4 8 12 16 20 24 28 32 40 48 64 80 96 112 128 160 200 240 280 320 400; do
                mount -t tmpfs -o size=${size}k,mode=700 none $disk
                export CHATELAINE_KEYCHAIN=embedded:$disk/keychain
                $probe add a 1
                mount -o remount,size=8m $disk
                $probe add b 1
                umount $disk
            done
            """
        )
        #expect(lines.count == 42)
        let first = stride(from: 0, to: lines.count, by: 2).map { lines[$0] }
        #expect(Set(first).isSubset(of: ["-34", "0"]), "\(first)")
        #expect(first.first == "-34")
        #expect(stride(from: 1, to: lines.count, by: 2).allSatisfy { lines[$0] == "0" }, "\(lines)")
    }

    @Test(.enabled(if: Machine.allowsMounting, "needs unshare with user and mount namespaces"))
    func `on a read-only file system items are found, and writes are errSecReadOnly (needs namespaces)`() throws {
        let keychain = try TestKeychain()
        _ = try ProbeProcess.run(keychain, ["add", "x", "2"])
        let before = try keychain.contents()
        let lines = try run(
            keychain,
            """
            mount --bind $folder $folder && mount -o remount,bind,ro $folder
            $probe find x-0; $probe add y 1; $probe update x-0; $probe delete x-0; $probe find x-1
            """
        )
        #expect(lines == ["0", "-25292", "-25292", "-25292", "0"])
        #expect(try keychain.contents() == before)
    }

    @Test(.enabled(if: Machine.allowsMounting, "needs unshare with user and mount namespaces"))
    func `a keychain cannot be made on a read-only file system: errSecReadOnly (needs namespaces)`() throws {
        let keychain = try TestKeychain()
        let lines = try run(
            keychain,
            """
            mkdir -p $disk && mount -t tmpfs -o ro none $disk
            CHATELAINE_KEYCHAIN=embedded:$disk/keychain $probe add x 1
            """
        )
        #expect(lines == ["-25292"])
    }

    /// Gives the keychain to a user without rights, and runs the probe as that one.
    private func asNobody(_ keychain: TestKeychain, _ arguments: [String]) throws -> [String] {
        try ProbeProcess.run(keychain, arguments, wrapper: Machine.nobody).lines
    }

    private func keychainOfNobody() throws -> TestKeychain {
        let keychain = try TestKeychain()
        chmod(keychain.surroundings, 0o777)
        #expect(try asNobody(keychain, ["add", "x", "2"]) == ["0", "0"])
        return keychain
    }

    @Test(.enabled(if: Machine.allowsOtherUsers, "needs root and setpriv"))
    func `files that may only be read are read, and writes are errSecReadOnly (needs root and setpriv)`() throws {
        let keychain = try keychainOfNobody()
        for name in try FileManager.default.contentsOfDirectory(atPath: keychain.path) {
            chmod(keychain.path + "/" + name, 0o400)
        }
        chmod(keychain.path, 0o500)
        #expect(try asNobody(keychain, ["find", "x-0"]) == ["0"])
        #expect(try asNobody(keychain, ["add", "y", "1"]) == ["-25292"])
        #expect(try asNobody(keychain, ["delete", "x-0"]) == ["-25292"])
        #expect(try asNobody(keychain, ["accounts"]) == ["x-0", "x-1"])
    }

    @Test(.enabled(if: Machine.allowsOtherUsers, "needs root and setpriv"))
    func `files that may not even be read are errSecWrPerm (needs root and setpriv)`() throws {
        for file in ["keychain.db", "keybag", "device.key", "lock"] {
            let keychain = try keychainOfNobody()
            chmod(keychain.path + "/" + file, 0)
            #expect(try asNobody(keychain, ["find", "x-0"]) == ["-61"], "\(file)")
            #expect(try asNobody(keychain, ["add", "y", "1"]) == ["-61"], "\(file)")
            chmod(keychain.path + "/" + file, 0o600)
            #expect(try asNobody(keychain, ["find", "x-0"]) == ["0"], "\(file)")
        }
    }

    @Test(.enabled(if: Machine.allowsOtherUsers, "needs root and setpriv"))
    func `a keychain where the user may not write is errSecWrPerm (needs root and setpriv)`() throws {
        let keychain = try TestKeychain()
        chmod(keychain.surroundings, 0o755)
        #expect(try asNobody(keychain, ["add", "y", "1"]) == ["-61"])
        // Another user's keychain.
        try keychain.connection().add("alice")
        #expect(try asNobody(keychain, ["find", "alice"]) == ["-61"])
        chmod(keychain.path, 0o755)
        #expect(try asNobody(keychain, ["find", "alice"]) == ["-61"])
    }
}
