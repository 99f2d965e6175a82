import Foundation
import KeychainModel
import KeychainSystem
import Testing

@testable import CodeSignature

private func key(
    _ path: String,
    mount: UInt64 = 1,
    isOnInitialMount: Bool = true,
    size: UInt64? = nil
) throws -> VerdictCache.Key? {
    let stamp = try #require(try FileStamp.of(path: path))
    return VerdictCache.Key(
        mount: mount,
        device: stamp.device,
        inode: stamp.inode,
        changed: stamp.changed,
        size: size ?? stamp.size,
        owner: stamp.owner,
        mode: stamp.mode,
        isOnInitialMount: isOnInitialMount
    )
}

private func withProgram<Result>(_ path: String, _ body: (Int32) throws -> Result) throws -> Result {
    let descriptor = open(path, O_RDONLY)
    try #require(descriptor >= 0)
    defer { close(descriptor) }
    return try body(descriptor)
}

/// Programs of the system's, which are older than two seconds.
private let systemPrograms = ["/bin/true", "/bin/false", "/bin/ls"].map {
    URL(filePath: $0).resolvingSymlinksInPath().path
}

@Test
func `only files that root alone can change have a key`() throws {
    let fixture = try SigningFixture()
    let path = try fixture.write(SigningFixture.program())
    #expect(chmod(path, 0o775) == 0)
    #expect(try key(path) == nil)
    #expect(try key(systemPrograms[0], isOnInitialMount: false) == nil)
    #expect(try key(systemPrograms[0]) != nil)
    if isRoot {
        #expect(chmod(path, 0o755) == 0)
        #expect(try key(path) != nil)
        #expect(chown(path, 65534, 0) == 0)
        #expect(try key(path) == nil)
    }
}

/// A number of the mount that is never used again, and none, as before Linux 6.8.
private let mounts: [UInt64] = [1, 0]

@Test(arguments: mounts)
func `a program is remembered once, and no more of them than there is room for`(_ mount: UInt64) throws {
    let fixture = try SigningFixture()
    let cache = VerdictCache(fixture.verifier, capacity: 2)
    for (index, path) in (systemPrograms + systemPrograms).enumerated() {
        try withProgram(path) { descriptor in
            let verdicts = try (0..<2).map { _ in try cache.verdict(of: descriptor, key: key(path, mount: mount)) }
            let verdict = try fixture.verifier.verdict(of: descriptor)
            #expect(verdicts == [verdict, verdict])
        }
        #expect(cache.count == min(index + 1, 2))
    }
}

@Test
func `without a key nothing is remembered`() throws {
    let fixture = try SigningFixture()
    let cache = VerdictCache(fixture.verifier)
    try withProgram(systemPrograms[0]) { _ = try cache.verdict(of: $0, key: nil) }
    #expect(cache.count == 0)
}

@Test
func `a key of another file is refused`() throws {
    let fixture = try SigningFixture()
    let cache = VerdictCache(fixture.verifier)
    try withProgram(systemPrograms[0]) { _ = try cache.verdict(of: $0, key: key(systemPrograms[0])) }
    try withProgram(systemPrograms[1]) { descriptor in
        #expect(throws: KeychainError(.authenticationFailed, "")) {
            try cache.verdict(of: descriptor, key: key(systemPrograms[0]))
        }
        #expect(throws: KeychainError(.authenticationFailed, "")) {
            try cache.verdict(of: descriptor, key: key(systemPrograms[1], size: 1))
        }
    }
}

@Test(.enabled(if: isRoot, "needs root"))
func `a file that changed a moment ago is read each time, since it may change again in the same moment (as root)`()
    throws
{
    let fixture = try SigningFixture()
    let path = try fixture.write(fixture.signed())
    let changed = try #require(try FileStamp.of(path: path)).changed
    let cache = VerdictCache(fixture.verifier, now: { changed })
    #expect(try withProgram(path) { try cache.verdict(of: $0, key: key(path)) }.isSigned)
    #expect(cache.count == 0)
}

@Test(.enabled(if: isRoot, "needs root"))
func `a program that is remembered is refused once its team is revoked (as root)`() throws {
    let fixture = try SigningFixture()
    let cache = VerdictCache(fixture.verifier, now: later)
    let path = try fixture.write(fixture.signed())
    let identity = try #require(try key(path))
    #expect(try withProgram(path) { try cache.verdict(of: $0, key: identity) }.isSigned)
    #expect(cache.count == 1)
    try fixture.teams.revoke(fixture.key.team)
    let verdict = try withProgram(path) { try cache.verdict(of: $0, key: identity) }
    #expect(verdict == .tampered(.revokedTeam(fixture.key.team)))
}

/// A clock by which files are old enough to be remembered.
private let later: @Sendable () -> FileTime = { FileTime(seconds: FileTime.now.seconds + 60, nanoseconds: 0) }

private func remember(_ path: String, in cache: VerdictCache) throws -> VerdictCache.Key {
    let identity = try #require(try key(path, mount: 0))
    _ = try withProgram(path) { try cache.verdict(of: $0, key: identity) }
    try #require(cache.remembers(identity))
    return identity
}

@Test(.enabled(if: isRoot, "needs root"))
func `without a number of the mount, what happens to a file is the end of what is remembered of it (as root)`() throws {
    let fixture = try SigningFixture()
    let cache = VerdictCache(fixture.verifier, now: later)
    let path = try fixture.write(fixture.signed())
    let identity = try remember(path, in: cache)
    // As by a clock that stands still: it has the same key afterwards.
    let file = open(path, O_RDWR)
    defer { close(file) }
    var byte: UInt8 = 0
    #expect(pread(file, &byte, 1, 0) == 1)
    #expect(pwrite(file, &byte, 1, 0) == 1)
    #expect(!cache.remembers(identity))
    #expect(cache.count == 0)
}
