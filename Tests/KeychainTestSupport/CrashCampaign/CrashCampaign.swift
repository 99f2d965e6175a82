import Foundation
import GRDB
import KeychainClient
import KeychainModel

/// Writers that are killed again and again, and a look at the keychain after each batch of kills: what was acknowledged
/// is there, what was under way is there as a whole or not at all, and the files hold nothing else.
package struct CrashCampaign {
    package struct Options: Sendable {
        package var writers = 8
        package var kills = 100
        /// The keychain is looked at after so many kills.
        package var batch = 50
        package var seed: UInt64 = 1
        /// Where the keychain is made; nil for a temporary folder that goes with the campaign.
        package var directory: String?

        package init() {}
    }

    package struct Report: Sendable {
        package var kills = 0
        /// Kills between the beginning of a change and its acknowledgement.
        package var killsDuringChange = 0
        package var acknowledged = 0
        package var looks = 0
        package var longestWait = 0
        package var seconds = 0.0
        package var faults: [String] = []
    }

    private struct Writer {
        let name: String
        var process: WriterProcess?
        var model = CampaignModel()
        /// How much the process has said, and how much it may say before it is among those that are killed: the kills fall
        /// on the opening of the keychain, and on calls early and late.
        var records = 0
        var lifetime = 0
        var restarts = 0
    }

    private static let groups = ["campaign"]
    /// Looking at its items and getting ready are the first 13 records of a process.
    private static let longestLifetime = 50

    private let options: Options
    private let keychain: TestKeychain
    private let environment: [String: String]
    private var random: SplitMix64
    private var writers: [Writer]
    private var report = Report()
    private let progress: (Report) -> Void

    /// Runs a campaign to its end, or to the first faults.
    ///
    /// - Parameter progress: is told how it stands, after each look.
    package static func run(_ options: Options, progress: @escaping (Report) -> Void = { _ in }) throws -> Report {
        var campaign = try CrashCampaign(options, progress: progress)
        return try campaign.run()
    }

    private init(_ options: Options, progress: @escaping (Report) -> Void) throws {
        self.options = options
        self.progress = progress
        keychain = try options.directory.map(TestKeychain.init(keptIn:)) ?? TestKeychain()
        random = SplitMix64(state: options.seed)
        writers = (0..<options.writers).map { Writer(name: "writer\($0)") }
        let entitlements = keychain.surroundings + "/campaign.entitlements"
        try PropertyListSerialization
            .data(fromPropertyList: ["keychain-access-groups": Self.groups], format: .xml, options: 0)
            .write(to: URL(fileURLWithPath: entitlements))
        environment = [
            "CHATELAINE_KEYCHAIN": keychain.variable, "CHATELAINE_ENTITLEMENTS": entitlements,
            "SWIFT_BACKTRACE": "enable=no",
        ]
        // A folder that is there may hold the keychain of another campaign, whose items nobody knows.
        try? FileManager.default.removeItem(atPath: keychain.path)
        try keychain.connection(groups: Self.groups).add("warm")
        _ = try keychain.connection(groups: Self.groups).delete("warm")
    }

    private mutating func run() throws -> Report {
        let start = Date()
        while report.kills < options.kills, report.faults.isEmpty {
            let goal = min(options.kills, report.kills + options.batch)
            for index in writers.indices { try begin(index) }
            while report.kills < goal, report.faults.isEmpty {
                usleep(.random(in: 1_000..<9_000, using: &random))
                follow()
                let candidates = writers.indices.filter { writers[$0].records >= writers[$0].lifetime }
                guard let victim = candidates.randomElement(using: &random) else { continue }
                kill(victim)
                try begin(victim)
            }
            for index in writers.indices { kill(index) }
            try look()
            report.seconds = Date().timeIntervalSince(start)
            progress(report)
        }
        return report
    }

    // MARK: - The writers

    private mutating func begin(_ index: Int) throws {
        let name = writers[index].name
        writers[index].restarts += 1
        writers[index].records = 0
        writers[index].lifetime = .random(in: 0..<Self.longestLifetime, using: &random)
        writers[index].process = try WriterProcess(
            [
                ProbeProcess.executable, "campaign", name, "\(random.next())",
                "\(writers[index].model.highestState + 1)",
            ],
            environment: environment,
            output: keychain.surroundings + "/\(name)-\(writers[index].restarts)"
        )
    }

    private mutating func follow() {
        for index in writers.indices {
            if let ending = writers[index].process?.ending() {
                report.faults.append("\(writers[index].name) ended by itself: \(ending)")
            }
            followLines(of: index)
        }
    }

    private mutating func followLines(of index: Int) {
        for line in writers[index].process?.newLines() ?? [] {
            guard let record = CampaignRecord(line) else {
                report.faults.append("\(writers[index].name) said: \(line)")
                continue
            }
            writers[index].records += 1
            if let fault = writers[index].model.follow(record) {
                report.faults.append("\(writers[index].name): \(fault)")
            }
        }
    }

    private mutating func kill(_ index: Int) {
        guard let process = writers[index].process else { return }
        process.kill()
        followLines(of: index)
        report.kills += 1
        if writers[index].model.isChanging { report.killsDuringChange += 1 }
        writers[index].model.kill()
        writers[index].process = nil
    }

    // MARK: - Looking

    private mutating func look() throws {
        report.looks += 1
        report.acknowledged = writers.reduce(0) { $0 + $1.model.acknowledged }
        report.longestWait = writers.map(\.model.longestWait).max() ?? 0
        let check = try keychain.sql { try String.fetchAll($0, sql: "PRAGMA integrity_check") }
        if check != ["ok"] { report.faults.append("integrity_check says: \(check)") }
        let connection = keychain.connection(groups: Self.groups)
        var tokens: Set<String> = []
        var items = 0
        for index in writers.indices {
            for key in CampaignKey.all {
                guard let state = try look(at: key, of: index, connection) else { continue }
                items += 1
                if key.itemClass == .certificate {
                    tokens.insert(CampaignValue.token(key: key, writer: writers[index].name, state: state))
                }
            }
        }
        let rows = try keychain.sql { database in
            try ["genp", "cert", "keys", "inet"].reduce(0) { count, table in
                count + (try Int.fetchOne(database, sql: "SELECT count(*) FROM \(table)") ?? 0)
            }
        }
        if rows != items { report.faults.append("there are \(rows) rows, and \(items) items are found") }
        try lookForTraces(of: tokens)
        for message in keychain.log.messages { report.faults.append("the keychain reported: \(message)") }
    }

    /// The state that an item is in, which must be one of those that it may be in.
    private mutating func look(at key: CampaignKey, of index: Int, _ connection: EmbeddedKeychain) throws -> Int? {
        let name = writers[index].name
        var request = FindRequest(query: ItemQuery(itemClass: key.modelClass))
        switch key.itemClass {
        case .password: request.query.filters["acct"] = .string(key.name(of: name))
        case .certificate: request.query.filters["slnr"] = .data(Array(key.name(of: name).utf8))
        case .key: request.query.filters["klbl"] = .data(Array(key.name(of: name).utf8))
        }
        request.limit = .all
        request.returns = [.data, .attributes]
        let found = try connection.find(request)
        if found.count > 1 { report.faults.append("\(name) has \(key) more than once") }
        var state: Int?
        if let item = found.first {
            guard case .string(let label) = item.attributes["labl"], let number = Int(label),
                item.value
                    == String(
                        decoding: CampaignValue.bytes(key: key, writer: name, state: number),
                        as: UTF8.self
                    )
            else {
                report.faults.append("\(name) has half of a state of \(key)")
                return nil
            }
            state = number
        }
        let allowed = writers[index].model.allowed(key)
        if !allowed.contains(state) {
            report.faults.append(
                "\(name) has \(key) in state \(String(describing: state)), and not in one of \(allowed)"
            )
        }
        writers[index].model.settle(key, state)
        return state
    }

    /// Certificates are public, and readable in the database; nothing else is, and no certificate that is gone.
    private mutating func lookForTraces(of tokens: Set<String>) throws {
        for (name, contents) in try keychain.contents() {
            let stale = CampaignValue.tokens(in: contents).subtracting(tokens)
            if !stale.isEmpty { report.faults.append("\(name) has traces of \(stale.sorted().prefix(3))") }
        }
    }
}
