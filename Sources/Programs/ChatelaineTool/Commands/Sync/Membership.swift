import ArgumentParser
import EnclaveInterface
import KeychainCircles
import KeychainClient
import KeychainModel
import KeychainSync
import SyncTransport
import Terminal

struct CreateCircle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Found a circle of devices with this one in it."
    )

    @OptionGroup var place: PlaceArgument

    @Flag(help: "Found one also where another circle is, which shares nothing with it.")
    var another = false

    @OptionGroup var name: DeviceNameOptions

    @OptionGroup var options: CircleOptions

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        let transport = try place.transport()
        try CurrentKeychain.open()
        let owner = try keychain.control()
        let authorization = try options.authorization(of: keychain)
        guard try !keychain.belongsToCircle else {
            throw KeychainError(
                .duplicateItem,
                "the keychain belongs to a circle; leave it with: chatelaine sync leave"
            )
        }
        guard try another || CirclePlace.isEmpty(transport) else {
            throw KeychainError(
                .duplicateItem,
                "a circle is there already: bring this device into it with chatelaine sync join, or give --another"
            )
        }
        try owner.allow(.found, with: authorization.token(for: .synchronize))
        _ = try keychain.found()
        try keychain.place(transport.place.text, authorization.token(for: .synchronize))
        try keychain.rename(name.nameOfDevice, authorization.token(for: .synchronize))
        let report = try keychain.synchronize(over: transport)
        Console.print("The circle is there, with \(SyncText.items(report.sent)) of this device.\n")
        Console.print("Add a device: there, chatelaine sync join PLACE; here, chatelaine sync approve\n")
        Console.print("If all devices are lost, a recovery key is what is left: chatelaine sync recovery-key\n")
        CirclePlace.sayHowItGoesOn()
    }
}

struct JoinCircle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "join",
        abstract: "Bring this device into the circle of another one, which approves it.",
        discussion: """
            Both devices show six digits, which are typed at the other one. So nobody in between, and nobody who has the \
            folder, adds a device or is taken for one of yours.

            With --recovery-key no other device is needed. What the folder has may be older than what your devices once had, \
            and nobody says so: look at the dates that are shown.
            """
    )

    @OptionGroup var place: PlaceArgument

    @Option(help: ArgumentHelp("How the circle's name begins, where the folder has several.", valueName: "prefix"))
    var circle: String?

    @Flag(help: "Join with the recovery key, where no device is left. It is asked for.")
    var recoveryKey = false

    @Flag(help: "With --recovery-key: take the circle as the folder has it, without asking.")
    var acceptDates = false

    @OptionGroup var name: DeviceNameOptions

    @OptionGroup var options: CircleOptions

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        let transport = try place.transport()
        let circle = try CirclePlace.circle(in: transport, prefix: circle)
        try CurrentKeychain.open()
        let owner = try keychain.control()
        let authorization = try options.authorization(of: keychain)
        // One that was broken off, or that another program has begun, keeps nobody waiting.
        _ = try owner.ceremony(ending: true)
        var isOver = false
        defer { if !isOver { _ = try? owner.ceremony(ending: true) } }
        var joining: Joining?
        if recoveryKey {
            try recover(keychain, circle, transport, owner, authorization)
        } else {
            joining = try join(keychain, circle, transport, owner, authorization)
        }
        isOver = true
        try keychain.place(transport.place.text, authorization.token(for: .synchronize))
        try keychain.rename(name.nameOfDevice, authorization.token(for: .synchronize))
        try read(keychain, transport)
        // A member has read its messages by now.
        joining?.clear(over: transport)
    }

    private func join(
        _ keychain: any CircleKeychain,
        _ id: CircleID,
        _ transport: any PlacedTransport,
        _ owner: any EnclaveControl,
        _ authorization: OwnerAuthorization
    ) throws -> Joining {
        var joining = try Joining(of: keychain, to: id, over: transport)
        var isJoined = false
        defer { if !isJoined { joining.clear(over: transport) } }
        Console.printError("This device asks to be added, by the number \(joining.number).\n")
        Console.printError("On a device of the circle, run: chatelaine sync approve\n")
        try CirclePlace.wait { try joining.takeAnswer(over: transport) }
        Console.print("Type at the other device: \(SyncText.digits(try owner.ceremony().digits))\n")
        let digits = try options.digits("Digits that the other device shows then")
        _ = try owner.type(digits: digits, with: try authorization.token(for: .synchronize))
        try joining.join(over: transport)
        isJoined = true
        return joining
    }

    private func recover(
        _ keychain: any CircleKeychain,
        _ id: CircleID,
        _ transport: any PlacedTransport,
        _ owner: any EnclaveControl,
        _ authorization: OwnerAuthorization
    ) throws {
        let text = try options.recoveryKey()
        let key: RecoveryKey
        do {
            key = try RecoveryKey(text: text)
        } catch {
            throw Failure(
                "that is no recovery key: nine groups of four letters and digits, of which the last checks the others"
            )
        }
        for (device, clock) in try CircleReading.heads(of: id, over: transport) {
            Console.printError(
                "device \(SyncText.short(device))  wrote last \(clock.map(SyncText.date) ?? "nothing")\n"
            )
        }
        if !acceptDates {
            let answer = try options.line("Nobody else says whether that is all. Take it? (yes/no)")
            guard answer == "yes" else { throw Failure("nothing was done") }
        }
        let token = try authorization.token(for: .synchronize)
        try keychain.recover(id, with: key, over: transport, owner: owner, token: token)
    }

    /// Reads the circle for the first time.
    private func read(_ keychain: any CircleKeychain, _ transport: any PlacedTransport) throws {
        Console.printError("Reading the circle.\n")
        let transport = CountingTransport(transport)
        defer { transport.end() }
        var received = 0
        let advice = """
            if the other device has added this one, run chatelaine sync now; if not, chatelaine sync leave \
            --without-telling, and begin once more on both
            """
        try CirclePlace.wait(advice: advice) {
            let report = try keychain.synchronize(over: transport)
            received += report.received
            return report.isMember && !report.isReading
        }
        transport.end()
        Console.print("This device belongs to the circle. \(SyncText.items(received)) came.\n")
        CirclePlace.sayHowItGoesOn()
    }
}

struct ApproveDevice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "approve",
        abstract: "Add a device that asks for it."
    )

    @Option(help: ArgumentHelp("The number that the new device shows, where several ask.", valueName: "number"))
    var number: String?

    @OptionGroup var options: CircleOptions

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        let transport = try CirclePlace.transport(of: keychain)
        let owner = try keychain.control()
        let authorization = try options.authorization(of: keychain)
        _ = try keychain.synchronize(over: transport)
        _ = try owner.ceremony(ending: true)
        defer { _ = try? owner.ceremony(ending: true) }
        Console.printError("Waiting for a device that asks to be added.\n")
        try CirclePlace.wait {
            try !Approving.requests(to: keychain, over: transport).isEmpty
        }
        var approving = try Approving(by: keychain, number: number, over: transport)
        Console.printError("A device with the number \(approving.number) asks to be added.\n")
        try CirclePlace.wait { try approving.takeReveal(over: transport) }
        let digits = try options.digits("Digits that the new device shows")
        let state = try owner.type(digits: digits, with: try authorization.token(for: .synchronize))
        Console.print("Type at the new device: \(SyncText.digits(state.digits))\n")
        try CirclePlace.wait { try approving.add(over: transport) }
        _ = try keychain.synchronize(over: transport)
        Console.print("The device was added.\n")
    }
}

struct RenameDevice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rename",
        abstract: "Say what this device is called on your other devices."
    )

    @Argument(help: "1 to 64 characters.")
    var name: String

    @OptionGroup var options: CircleOptions

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        // That it belongs to a circle is said before anything is asked.
        _ = try keychain.status()
        try keychain.rename(name, options.authorization(of: keychain).token(for: .synchronize))
    }
}

struct RemoveDevice: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a device, or a recovery key, from the circle, for good.",
        discussion: """
            It reads nothing that is written from then on. What it has read, it keeps: change the passwords of a device that \
            was stolen.
            """
    )

    @Argument(help: "What the device is called, or how its identifier begins, as `chatelaine sync devices` shows them.")
    var device: String

    @OptionGroup var options: CircleOptions

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        let transport = try CirclePlace.transport(of: keychain)
        _ = try keychain.synchronize(over: transport)
        let found = try keychain.status().members.filter { member in
            member.name == device || device.count >= 4 && member.id.text.hasPrefix(device.lowercased())
        }
        guard let member = found.first, found.count == 1 else {
            throw Failure("no member of the circle, or more than one, is called \(TerminalText.escaped(device))")
        }
        guard !member.isThisDevice else { throw Failure("that is this device; it leaves with: chatelaine sync leave") }
        let owner = try keychain.control()
        Console.printError("This removes \(SyncText.line(member)).\n")
        let token = try options.authorization(of: keychain).token(for: .synchronize)
        try owner.allow(.remove(member.id.bytes), with: token)
        try keychain.remove(member.id)
        _ = try keychain.synchronize(over: transport)
        Console.print("\(SyncText.short(member.id)) was removed.\n")
    }
}

struct LeaveCircle: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "leave",
        abstract: "Take this device out of its circle. All items stay on it."
    )

    @Flag(
        help:
            "Leave without telling the others, also where the folder cannot be reached. They go on counting this device."
    )
    var withoutTelling = false

    @OptionGroup var options: CircleOptions

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        let owner = try keychain.control()
        let authorization = try options.authorization(of: keychain)
        if !withoutTelling {
            try tellOthers(keychain, owner, authorization)
        }
        try owner.allow(.forget, with: authorization.token(for: .synchronize))
        try keychain.forget(authorization.token(for: .synchronize))
        Console.print("This device belongs to no circle. Its items are its own now.\n")
    }

    private func tellOthers(
        _ keychain: any CircleKeychain,
        _ owner: any EnclaveControl,
        _ authorization: OwnerAuthorization
    ) throws {
        let transport = try CirclePlace.transport(of: keychain)
        let status = try keychain.status()
        guard status.isMember, !status.isReading, let device = status.members.first(where: \.isThisDevice)?.id else {
            return
        }
        _ = try keychain.synchronize(over: transport)
        try owner.allow(.remove(device.bytes), with: authorization.token(for: .synchronize))
        try keychain.remove(device)
        _ = try keychain.synchronize(over: transport)
    }
}

struct NewRecoveryKey: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery-key",
        abstract: "Make a recovery key, which adds a device when all others are lost.",
        discussion: """
            It is shown once. Write it down, and keep it where you keep what must not be lost: with it and the folder anybody \
            reads all shared items. An earlier one stays good until it is removed (chatelaine sync remove).
            """
    )

    @OptionGroup var options: CircleOptions

    func run() throws {
        let keychain = try CurrentKeychain.shared()
        let transport = try CirclePlace.transport(of: keychain)
        let owner = try keychain.control()
        let authorization = try options.authorization(of: keychain)
        let key = try RecoveryKey.random()
        let token = try authorization.token(for: .synchronize)
        _ = try keychain.synchronize(over: transport)
        let consent = try key.consent(to: keychain.status().circle)
        try owner.allow(.addRecoveryKey(card: key.card.encoded, consent: consent), with: token)
        try keychain.add(key.card, consent: consent)
        _ = try keychain.synchronize(over: transport)
        Console.print(key.text + "\n")
    }
}

extension CircleOptions {
    /// The recovery key, as somebody has written it down.
    fileprivate func recoveryKey() throws -> String {
        let secret = try SecretQuestions(readsStandardInput: readsStandardInput).ask(for: "recovery key")
        return unsafe secret.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) }
    }

    /// What somebody answers.
    fileprivate func line(_ question: String) throws -> String {
        if !readsStandardInput { Console.printError(question + " ") }
        let line = try LineReader(descriptor: 0).next() ?? []
        return String(decoding: line, as: UTF8.self)
    }
}
