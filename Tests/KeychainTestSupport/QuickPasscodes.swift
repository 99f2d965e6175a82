import Foundation

/// What a program's environment has to have so that passcodes cost it what they cost the test itself, in builds for
/// debugging.
package enum QuickPasscodes {
    private static let name = "CHATELAINE_DEBUG_PASSCODE_COST"

    package static let environment = ProcessInfo.processInfo.environment.filter { $0.key == name }
}
