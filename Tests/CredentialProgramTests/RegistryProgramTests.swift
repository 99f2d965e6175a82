import Foundation
import KeychainTestSupport
import Testing

/// The helper as docker, cargo and pip themselves use it.
@Suite struct RegistryProgramTests {
    @Test(.enabled(if: isThere("docker"), "needs docker's command"), arguments: HelperSite.Keychain.allCases)
    func `docker logs in, logs in again with what it stored, and logs out`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let server = try CredentialServer(in: site.folder)
        // No daemon: the command asks the registry itself.
        let docker = "DOCKER_HOST=unix://\(site.folder)/nobody docker"
        let address = "127.0.0.1:\(server.port)"
        try site.write(#"{"credsStore":"chatelaine"}"#, to: "home/.docker/config.json")
        let first = try site.run(
            "\(docker) login -u alice --password-stdin \(address)",
            input: CredentialServer.password
        )
        #expect(first.status == 0, "\(first.errors)")
        #expect(try site.run("docker-credential-chatelaine list").output == "{\"\(address)\":\"alice\"}\n")
        let configuration = try String(contentsOfFile: site.folder + "/home/.docker/config.json", encoding: .utf8)
        #expect(!configuration.contains("\"auth\":"))
        // Without a daemon it stops there, when it has asked the helper.
        let again = try site.run("\(docker) login \(address)")
        #expect((again.output + again.errors).contains("existing credentials... [Username: alice]"))
        #expect(try site.run("\(docker) logout \(address)").status == 0)
        #expect(try site.run("docker-credential-chatelaine list").output == "{}\n")
    }

    @Test(arguments: HelperSite.Keychain.allCases)
    func `of two accounts that log in at the same time one is left, with its own token`(
        _ keychain: HelperSite.Keychain
    ) throws {
        let site = try HelperSite(keychain)
        try site.write(
            """
            store() {
                printf '{"ServerURL":"https://registry.example","Username":"%s","Secret":"of %s"}' "$1" "$1" |
                    docker-credential-chatelaine store || echo refused
            }
            for round in $(seq \(Self.rounds)); do
                store alice & store bob & wait
                docker-credential-chatelaine list
                printf https://registry.example | docker-credential-chatelaine get
            done
            """,
            to: "rounds.sh"
        )
        let outcome = try site.run("sh rounds.sh", seconds: 300)
        #expect(outcome.status == 0, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n")
        #expect(lines.count == Self.rounds * 2)
        for line in lines {
            let isWhole = ["alice", "bob"].contains { name in
                line == #"{"https://registry.example":"\#(name)"}"#
                    || line == #"{"ServerURL":"https://registry.example","Username":"\#(name)","Secret":"of \#(name)"}"#
            }
            #expect(isWhole, "\(line)")
        }
    }

    private static let rounds = 34

    @Test(arguments: HelperSite.Keychain.allCases)
    func `docker's helper protocol works as its client library speaks it`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let helper = "docker-credential-chatelaine"
        let document = #"{"ServerURL":"https://registry.example.com:5000","Username":"<token>","Secret":"t\"ok"}"#
        #expect(try site.run("\(helper) store", input: document).status == 0)
        let found = try site.run("\(helper) get", input: "https://registry.example.com:5000")
        #expect(found.output == document + "\n")
        #expect(try site.run("\(helper) list").output == #"{"https://registry.example.com:5000":"<token>"}"# + "\n")
        #expect(try site.run("\(helper) erase", input: "https://registry.example.com:5000").status == 0)
        let missing = try site.run("\(helper) get", input: "https://registry.example.com:5000\n")
        #expect(missing.output == "credentials not found in native keychain\n" && missing.status == 1)
        #expect(missing.errors.isEmpty)
        #expect(try site.run("\(helper) version").output.hasPrefix("docker-credential-chatelaine "))
        let flood = try site.run("\(helper) store", input: Data(repeating: 0x22, count: 10 << 20))
        #expect(flood.status == 1 && flood.output.utf8.count < 200)
    }

    @Test(
        .enabled(
            if: isThere("cargo", atLeast: 1, 74),
            "needs cargo 1.74 or newer, which speaks to credential providers"
        ),
        arguments: HelperSite.Keychain.allCases
    )
    func `cargo logs in, uses the token, and logs out`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let server = try CredentialServer(in: site.folder)
        try site.write(
            """
            [registries.mine]
            index = "sparse+http://127.0.0.1:\(server.port)/index/"
            credential-provider = ["cargo-credential-chatelaine"]
            """,
            to: "home/.cargo/config.toml"
        )
        let refused = try site.run("cargo owner --list sample --registry mine")
        #expect(refused.status != 0 && refused.errors.contains("no token found"), "\(refused.errors)")
        let login = try site.run("cargo login --registry mine", input: CredentialServer.token + "\n")
        #expect(login.status == 0, "\(login.errors)")
        let owners = try site.run("cargo owner --list sample --registry mine")
        #expect(owners.output.contains("alice"), "\(owners.errors)")
        #expect(try site.run("cargo logout --registry mine").status == 0)
        #expect(try site.run("cargo owner --list sample --registry mine").status != 0)
    }

    @Test(arguments: HelperSite.Keychain.allCases)
    func `cargo's protocol works as its documentation describes it`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let registry = #""registry":{"index-url":"sparse+https://index.example.com/","name":"mine"},"args":[]}"#
        let requests = [
            #"{"v":1,"kind":"login","token":"abc","# + registry, #"{"v":1,"kind":"get","operation":"read","# + registry,
            #"{"v":1,"kind":"logout","# + registry, "nonsense", #"{"v":1,"kind":"get","operation":"read","# + registry,
        ]
        let outcome = try site.run(
            "cargo-credential-chatelaine --cargo-plugin",
            input: requests.map { $0 + "\n" }.joined()
        )
        let answers = outcome.output.split(separator: "\n")
        #expect(answers.count == 6)
        #expect(answers.first == #"{"v":[1]}"#)
        #expect(answers.dropFirst(2).first?.contains(#""token":"abc""#) == true)
        #expect(answers.last == #"{"Err":{"kind":"not-found"}}"#)
        #expect(try site.run("cargo-credential-chatelaine").status == 1)
    }

    @Test(
        .enabled(if: isThere("pip", atLeast: 23, 1), "needs pip 23.1 or newer, which runs keyring"),
        arguments: HelperSite.Keychain.allCases
    )
    func `pip downloads from an index with the password that keyring gives`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let server = try CredentialServer(in: site.folder)
        let pip = """
            pip download --isolated --no-deps --no-input --disable-pip-version-check --keyring-provider subprocess \
            --index-url http://alice@127.0.0.1:\(server.port)/simple/ -d downloads sample
            """
        #expect(try site.run(pip).status != 0)
        let set = "keyring set http://127.0.0.1:\(server.port)/simple/ alice"
        #expect(try site.run(set, input: CredentialServer.password + "\n").status == 0)
        let outcome = try site.run(pip)
        #expect(outcome.status == 0, "\(outcome.errors)")
        #expect(FileManager.default.fileExists(atPath: site.folder + "/downloads/sample-1.0-py3-none-any.whl"))
    }

    @Test(
        .enabled(if: isThere("pip", atLeast: 23, 1), "needs pip 23.1 or newer, which runs keyring"),
        arguments: HelperSite.Keychain.allCases
    )
    func `pip sends no other program's token to an index that is called as its helper's service`(
        _ keychain: HelperSite.Keychain
    ) throws {
        let site = try HelperSite(keychain)
        // It stands for every host, as a proxy does, or a name server of the attacker's.
        let server = try CredentialServer(in: site.folder)
        let set = try site.run("chatelaine-credential kubectl set staging", input: CredentialServer.token + "\n")
        #expect(set.status == 0, "\(set.errors)")
        let pip = """
            pip download --isolated --no-deps --no-input --disable-pip-version-check --keyring-provider subprocess \
            --proxy http://127.0.0.1:\(server.port) -d downloads
            """
        try "--index-url http://staging@kubernetes/\n--trusted-host kubernetes\nsample\n".write(
            toFile: site.folder + "/requirements.txt",
            atomically: true,
            encoding: .utf8
        )
        #expect(try site.run(pip + " -r \(site.folder)/requirements.txt").status != 0)
        #expect(server.log.contains("http://kubernetes/"), "\(server.log)")
        let beginning = Data("staging:{".utf8).base64EncodedString()
        #expect(!server.log.contains(beginning), "\(server.log)")
        // The control: what keyring has stored itself is sent.
        #expect(try site.run("keyring set index.example alice", input: CredentialServer.password + "\n").status == 0)
        _ = try site.run(pip + " --index-url http://alice@index.example/ --trusted-host index.example sample")
        let known = Data("alice:\(CredentialServer.password)".utf8).base64EncodedString()
        #expect(server.log.contains(known), "\(server.log)")
    }
}
