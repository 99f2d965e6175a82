import Glibc
import KeychainModel
import KeychainSystem

/// Where the libraries of a program that is to be installed come from.
///
/// In secure execution the dynamic linker takes no word from the environment, and still looks into the folders that
/// stand in the program. A user who can write to one of them could run code in the program.
struct DynamicLinking {
    private let program: OpenProgram

    private static let mostLibraries = 1024

    init(of program: OpenProgram) {
        self.program = program
    }

    /// - Throws: `notAvailable` where others than root can exchange a library.
    func check() throws(KeychainError) {
        var libraries: [String] = []
        let own = try ElfFile(program.descriptor, size: program.stamp.size)
        if let interpreter = own.interpreter { try Place.checkEveryName(interpreter) }
        libraries += try Self.libraries(of: own)
        var next = 0
        while next < libraries.count {
            guard libraries.count <= Self.mostLibraries else {
                throw KeychainError(.notAvailable, "the program has too many libraries")
            }
            let path = try Place.real(libraries[next])
            let found = try OpenProgram.with(path) { library throws(KeychainError) in
                try Self.libraries(of: ElfFile(library.descriptor, size: library.stamp.size))
            }
            libraries += found.filter { !libraries.contains($0) }
            next += 1
        }
    }

    /// The libraries that lie in folders which the file itself names. All others come from where the system has its
    /// own.
    private static func libraries(of file: ElfFile) throws(KeychainError) -> [String] {
        guard !file.hasAuditors else {
            throw KeychainError(.notAvailable, "the program names libraries that audit it; link it without")
        }
        var found: [String] = []
        var folders: [String] = []
        for folder in file.runPaths where !isIgnored(folder) {
            guard folder.hasPrefix("/"), !folder.utf8.contains(UInt8(ascii: "$")) else {
                throw KeychainError(
                    .notAvailable,
                    "the program looks for libraries in a folder that depends on how it is started (its run path); link it"
                        + " with -static-stdlib, or with absolute run paths"
                )
            }
            try Place.checkEveryName(folder)
            folders.append(folder)
        }
        for name in file.needed {
            let paths = name.utf8.contains(UInt8(ascii: "/")) ? [name] : folders.map { $0 + "/" + name }
            for path in paths {
                guard path.hasPrefix("/") else {
                    throw KeychainError(.notAvailable, "the program needs a library by a relative path")
                }
                guard try FileStamp.of(path: path) != nil else { continue }
                try Place.checkEveryName(path)
                found.append(path)
            }
        }
        return found
    }

    /// The dynamic linker passes over folders relative to the program in secure execution, unless they are the
    /// system's.
    private static func isIgnored(_ folder: String) -> Bool {
        folder.hasPrefix("$ORIGIN") || folder.hasPrefix("${ORIGIN}")
    }
}
