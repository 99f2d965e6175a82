import Glibc

/// What a pinentry is told by its environment: where to show itself, and nothing else of this process.
enum PinentryEnvironment {
    /// Those of this process that lead to the person's desktop, or that a pinentry looks at itself.
    private static let passed = [
        "DBUS_SESSION_BUS_ADDRESS", "HOME", "LANG", "PINENTRY_USER_DATA", "XAUTHORITY", "XDG_RUNTIME_DIR",
    ]

    static func variables(for terminal: PinentryTerminal) -> [String] {
        let own = passed.compactMap { name in PinentryTerminal.environment(name).map { (name, $0) } }
        let given = [
            ("DISPLAY", terminal.display), ("WAYLAND_DISPLAY", terminal.waylandDisplay), ("TERM", terminal.ttyType),
            ("LC_CTYPE", terminal.lcCtype), ("LC_MESSAGES", terminal.lcMessages),
        ].compactMap { name, value in value.map { (name, $0) } }
        return (own + given).map { "\($0)=\($1)" }
    }
}
