import ArgumentParser
import CKeychainLinux
import Foundation
import KeychainDaemon
import KeychainServer

// chatelained with checks left out: the same parts, put together in the same order.
if CommandLine.arguments.dropFirst() == [WitnessOfEverything.argument] {
    WitnessOfEverything.run()
    exit(0)
}
let options = UncheckedOptions.parseOrExit()
if !options.keepCrashHandlers { clinux_reset_crash_signals() }
do {
    let checks = try PeerChecks.unchecked(without: options.leftOut())
    let everything = checks.contains(.fileMount) ? nil : try WitnessOfEverything.start()
    let daemon = try PreparedDaemon(options.daemon)
    let gate = daemon.gate
    options.limitDescriptors()
    var gatekeeper: any Gatekeeper = PeerGatekeeper(
        mode: gate.mode,
        witness: everything ?? gate.witness,
        verdicts: gate.verdicts,
        checks: checks
    )
    if options.delay > 0 { gatekeeper = DelayingGatekeeper(gatekeeper, milliseconds: options.delay) }
    if options.callersByAddress { gatekeeper = CallersByAddress(gatekeeper) }
    try await KeychainDaemon.run(daemon, gatekeeper: gatekeeper, limits: options.limits)
} catch {
    FileHandle.standardError.write(Data("unchecked-daemon: \(error)\n".utf8))
    exit(1)
}
