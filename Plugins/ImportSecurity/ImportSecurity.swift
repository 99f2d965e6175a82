import Foundation
import PackagePlugin

/// Adds a file to a target that imports `Security` for all of its files, as Foundation does on Apple's platforms.
@main
struct ImportSecurity: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) -> [Command] {
        guard target is any SourceModuleTarget else { return [] }
        let file = context.pluginWorkDirectoryURL.appending(path: "ImportSecurity.swift")
        // A shell is on every system that builds packages; a tool of our own would have to be built first.
        let script = """
            printf '%s\\n' '// Foundation imports Security on Apple platforms.' '@_exported import Security' >"$1"
            """
        return [
            .buildCommand(
                displayName: "Import Security into \(target.name)",
                executable: URL(filePath: "/bin/sh"),
                arguments: ["-c", script, "sh", file.path()],
                outputFiles: [file]
            )
        ]
    }
}
