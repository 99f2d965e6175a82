import AccessPages
import Foundation
import Glibc
import KeychainTestSupport
import Testing

/// A display that nobody sees, with a clipboard that other programs use as well.
final class TestDisplay: @unchecked Sendable {
    // Unchecked: a test has one, and uses it from one thread.
    enum Kind: String, CaseIterable, CustomTestStringConvertible {
        case x11
        case wayland

        var testDescription: String { rawValue }
    }

    let kind: Kind
    private let folder: String
    private let process = Process()
    private var copier: Process?
    private(set) var name = ""

    init(_ kind: Kind) throws {
        self.kind = kind
        folder = FileManager.default.temporaryDirectory.path + "/chatelaine-display-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder,
            withIntermediateDirectories: true,
            attributes: [.posixPermissions: 0o700]
        )
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.standardInput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        var variables = ["PATH": "/usr/bin:/bin", "HOME": folder]
        switch kind {
        case .x11:
            process.arguments = ["Xvfb", "-displayfd", "1", "-nolisten", "tcp", "-screen", "0", "320x200x24"]
            let output = folder + "/number"
            try Data().write(to: URL(filePath: output))
            process.standardOutput = FileHandle(forWritingAtPath: output)
        case .wayland:
            // It does not run as root.
            let nobody = ["setpriv", "--reuid", "nobody", "--regid", "nogroup", "--clear-groups"]
            if geteuid() == 0 { try #require(chown(folder, 65_534, 65_534) == 0) }
            process.arguments = (geteuid() == 0 ? nobody : []) + ["sway", "--config", "/dev/null"]
            process.standardOutput = FileHandle.nullDevice
            variables.merge([
                "XDG_RUNTIME_DIR": folder, "WLR_BACKENDS": "headless", "WLR_RENDERER": "pixman",
                "WLR_LIBINPUT_NO_DEVICES": "1",
            ]) { $1 }
        }
        process.environment = variables
        try process.runHearingSignals()
        try waitUntil("the display is there") { [self] in
            name = try foundName() ?? ""
            return !name.isEmpty || !process.isRunning
        }
        try #require(process.isRunning, "\(process.arguments ?? [])")
        // A socket of Wayland's is there before anybody answers.
        try waitUntil("the display answers") { [self] in
            guard kind == .wayland else { return true }
            return try !run(["wl-paste", "--list-types"]).errors.contains("Failed to connect")
        }
    }

    deinit {
        end()
        try? FileManager.default.removeItem(atPath: folder)
    }

    func end() {
        for process in [copier, process].compactMap(\.self) {
            if process.isRunning { process.terminate() }
            process.waitForExit()
        }
    }

    private func foundName() throws -> String? {
        switch kind {
        case .x11:
            let number = try String(contentsOfFile: folder + "/number", encoding: .utf8)
            return number.hasSuffix("\n") ? ":" + number.dropLast() : nil
        case .wayland:
            let lock = try FileManager.default.contentsOfDirectory(atPath: folder).first { $0.hasSuffix(".lock") }
            guard let socket = lock.map({ folder + "/" + $0.dropLast(5) }) else { return nil }
            return FileManager.default.fileExists(atPath: socket) ? socket : nil
        }
    }

    /// What a program needs to find it.
    var environment: [String: String] {
        kind == .x11 ? ["DISPLAY": name] : ["WAYLAND_DISPLAY": name, "XDG_RUNTIME_DIR": folder]
    }

    private func run(_ words: [String], input: String = "") throws -> FinishedProgram {
        let place = FileManager.default.temporaryDirectory.path
        let variables = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        return try FinishedProgram(words, in: place, environment: variables, input: Data(input.utf8), seconds: 10)
    }

    /// What another program pastes; nil where there is nothing of the type.
    func paste(_ type: String = "UTF8_STRING") throws -> String? {
        let words =
            kind == .x11
            ? ["xclip", "-selection", "clipboard", "-o", "-t", type] : ["wl-paste", "--no-newline", "--type", type]
        let finished = try run(words)
        return finished.status == 0 ? finished.output : nil
    }

    func types() throws -> [String] {
        let words =
            kind == .x11 ? ["xclip", "-selection", "clipboard", "-o", "-t", "TARGETS"] : ["wl-paste", "--list-types"]
        return try run(words).lines
    }

    /// Another program copies something, and stays.
    func copy(_ text: String) throws {
        let file = folder + "/text"
        try Data(text.utf8).write(to: URL(filePath: file))
        let program = Process()
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments =
            kind == .x11 ? ["xclip", "-quiet", "-selection", "clipboard", "-i"] : ["wl-copy", "--foreground"]
        program.environment = environment.merging(["PATH": "/usr/bin:/bin"]) { $1 }
        program.standardInput = FileHandle(forReadingAtPath: file)
        program.standardError = FileHandle.nullDevice
        try program.runHearingSignals()
        copier = program
        try waitUntil("it is in the clipboard") { [self] in try paste() == text }
    }

    /// Another program tells the owner of the clipboard of X11 that it is the owner no more, as only the display may.
    func forgeReplacement() throws {
        let finished = try run(["python3", "-c", Self.forgery])
        try #require(finished.status == 0, "\(finished.errors)")
    }

    private static let forgery = """
        import ctypes, struct
        xcb = ctypes.CDLL("libxcb.so.1")
        class Cookie(ctypes.Structure): _fields_ = [("sequence", ctypes.c_uint)]
        xcb.xcb_connect.restype = ctypes.c_void_p
        connection = ctypes.c_void_p(xcb.xcb_connect(None, None))
        def asked(name, *words):
            ask, reply = getattr(xcb, name), getattr(xcb, name + "_reply")
            ask.restype, reply.restype = Cookie, ctypes.POINTER(ctypes.c_uint32 * 8)
            return reply(connection, ask(connection, *words), None).contents[2]
        selection = asked("xcb_intern_atom", 0, 9, b"CLIPBOARD")
        owner = asked("xcb_get_selection_owner", selection)
        assert owner, "nobody owns the clipboard"
        event = struct.pack("=BBHIII", 29, 0, 0, 0x7ffffff0, owner, selection).ljust(32, b"\\0")
        xcb.xcb_send_event(connection, 0, owner, 0, event)
        xcb.xcb_flush(connection)
        asked("xcb_get_selection_owner", selection)
        """
}
