import Glibc
import KeychainServiceClient
import KeychainSystem

/// Starts the owner's browser. Its failure is no error: the address is printed as well.
enum Browser {
    /// Chromium and its relatives open a window without a tab bar.
    private static let withWindows = [
        "chromium", "chromium-browser", "google-chrome", "brave-browser", "microsoft-edge",
    ]

    /// - Returns: whether there is a screen to open it on.
    static var isPossible: Bool { Environment["DISPLAY"] != nil || Environment["WAYLAND_DISPLAY"] != nil }

    static func open(_ address: String) {
        for name in withWindows {
            guard let path = program(name) else { continue }
            // What is shown stays out of the browser's history.
            return start(path, ["--incognito", "--app=\(address)"])
        }
        if let path = program("xdg-open") { start(path, [address]) }
    }

    private static func start(_ path: String, _ arguments: [String]) {
        // What browsers print is of no use here.
        let output = try? Descriptor(opening: "/dev/null", O_WRONLY)
        guard let process = try? ChildProgram.start(path, arguments, input: .nothing, output: output) else { return }
        try? DetachedThread.start { _ = ChildProgram.wait(for: process) }
    }

    private static func program(_ name: String) -> String? {
        ["/usr/bin", "/usr/local/bin", "/bin"].map { "\($0)/\(name)" }.first(where: ChildProgram.isExecutable)
    }
}
