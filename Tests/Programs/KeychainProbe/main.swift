// A driver for tests with many processes. The first argument says what to do; each finding is a line of output,
// written at once, so that what stands there was acknowledged before the process was killed.

import Foundation

signal(SIGPIPE, SIG_IGN)
let arguments = Array(CommandLine.arguments.dropFirst())

func number(_ index: Int) -> Int {
    arguments.count > index ? Int(arguments[index]) ?? 0 : 0
}

func text(_ index: Int) -> String {
    arguments.count > index ? arguments[index] : ""
}

switch arguments.first {
case "add": Items.add(prefix: text(1), count: number(2), size: max(number(3), 6))
case "add-forever": Items.addForever(prefix: text(1))
case "fill": Items.fill(prefix: text(1), size: number(2))
case "find": print(line: "\(Items.find(text(1)))")
case "find-often": Items.findOften(text(1), count: number(2))
case "update": print(line: "\(Items.update(text(1)))")
case "delete": print(line: "\(Items.delete(text(1)))")
case "delete-and-wait": Holding.delete(text(1))
case "accounts": Items.accounts().forEach { print(line: $0) }
case "mix": Mixture.run(name: text(1), seconds: Double(text(2)) ?? 1)
case "race": Mixture.race(keys: number(1))
case "move": Items.move(text(1), between: (text(2), text(3)), seconds: Double(text(4)) ?? 1)
case "hold-lock": Holding.lock(path: text(1))
case "hold-snapshot": Holding.snapshot(folder: text(1))
case "campaign": CampaignWriter.run(name: text(1), seed: UInt64(text(2)) ?? 0, firstState: number(3))
case "verify": Maintaining.verify()
case "repair": Maintaining.repair()
case "passcode": Passcodes.change(in: text(1), from: text(2), to: text(3))
case "rotate": Passcodes.rotate(in: text(1), passcode: text(2))
case "fork": Forking.run(text(1))
case "ask": Asking.run()
default:
    print(line: "unknown command")
    exit(2)
}
