import CredentialHelpers
import KeychainModel
import Testing

@Suite struct CargoHelperTests {
    private let keychain = emptyKeychain()

    private func request(_ kind: String, _ url: String = "sparse+https://index.example.com/api/", _ more: String = "")
        -> String
    {
        #"{"v":1,"kind":"\#(kind)",\#(more)"registry":{"index-url":"\#(url)","name":"mine"},"args":[]}"#
    }

    @Test func `a token is stored at login, given, and gone after logout`() {
        #expect(
            keychain.cargo(request("get", "sparse+https://index.example.com/api/", #""operation":"read","#))
                == #"{"Err":{"kind":"not-found"}}"# + "\n"
        )
        #expect(
            keychain.cargo(request("login", "sparse+https://index.example.com/api/", #""token":"t0ken","#))
                == #"{"Ok":{"kind":"login"}}"# + "\n"
        )
        #expect(
            keychain.cargo(request("get"))
                == #"{"Ok":{"kind":"get","token":"t0ken","cache":"session","operation_independent":true}}"# + "\n"
        )
        #expect(keychain.cargo(request("get", "sparse+https://index.example.com/other/")).contains("not-found"))
        #expect(keychain.cargo(request("logout")) == #"{"Ok":{"kind":"logout"}}"# + "\n")
        #expect(keychain.cargo(request("logout")) == #"{"Err":{"kind":"not-found"}}"# + "\n")
    }

    @Test func `a token that cargo does not have is asked for`() {
        #expect(keychain.cargo(request("login"), token: "typed") == #"{"Ok":{"kind":"login"}}"# + "\n")
        #expect(keychain.cargo(request("get")).contains(#""token":"typed""#))
        #expect(keychain.cargo(request("login")).contains("nobody is there"))
    }

    @Test func `the question for a token begins with the host, whatever the project calls it`() {
        var questions: [String] = []
        for url in ["sparse+https://evil.example:8443/", "sparse+https://mine/"] {
            _ = CargoHelper.answer(secret(request("login", url)), from: keychain) { (question) throws(HelperFailure) in
                questions.append(question)
                return secret("typed")
            }
        }
        #expect(questions == ["token for evil.example:8443, called “mine” here", "token for mine"])
    }

    @Test func `registries that are reached over no network are another provider's`() {
        for url in ["file:///srv/index", "sparse+file:///srv", "/srv/index", "", "git://example.com/index"] {
            #expect(keychain.cargo(request("get", url)) == #"{"Err":{"kind":"url-not-supported"}}"# + "\n")
        }
    }

    @Test(arguments: [
        "", "{}", "x", #"{"v":2,"kind":"get","registry":{"index-url":"https://a"}}"#, #"{"v":1,"kind":"get"}"#, "[1",
    ])
    func `a request that is none is an error of one line`(_ line: String) {
        let answer = keychain.cargo(line)
        #expect(answer.hasPrefix(#"{"Err":{"kind":"other","message":""#))
        #expect(answer.split(separator: "\n").count == 1)
    }

    @Test(arguments: ["", "two\\nlines", "caf\\u00e9", "a\\u0000"])
    func `a token that no header can have is not stored`(_ token: String) throws {
        #expect(keychain.cargo(request("login", "https://a", #""token":"\#(token)","#)).contains(#""kind":"other""#))
        #expect(try keychain.items().isEmpty)
    }

    @Test func `an unknown kind is not supported`() {
        #expect(keychain.cargo(request("fly")) == #"{"Err":{"kind":"operation-not-supported"}}"# + "\n")
    }
}

@Suite struct KeyringHelperTests {
    private let keychain = emptyKeychain()

    @Test func `a password is set, given and deleted`() throws {
        let url = "https://pypi.example.com/simple/"
        #expect(try keychain.keyring("get", url, "alice").exitStatus == 1)
        #expect(try keychain.keyring("set", url, "alice", password: "p w").exitStatus == 0)
        #expect(try keychain.keyring("get", url, "alice").text == "p w\n")
        #expect(try keychain.keyring("get", url, "bob").exitStatus == 1)
        #expect(try keychain.keyring("--mode", "creds", "get", url).text == "alice\np w\n")
        #expect(try keychain.keyring("--mode=creds", "get", url).text == "alice\np w\n")
        let json = #"{"username": "alice", "password": "p w"}"# + "\n"
        #expect(try keychain.keyring("--mode=creds", "--output=json", "get", url).text == json)
        #expect(try keychain.keyring("--output", "json", "get", url, "alice").text == #"{"password": "p w"}"# + "\n")
        #expect(try keychain.keyring("--output", "plain", "get", url, "alice").text == "p w\n")
        #expect(try keychain.keyring("del", url, "alice").exitStatus == 0)
        #expect(try keychain.keyring("del", url, "alice").exitStatus == 1)
    }

    @Test func `what another program has stored says no line of its own`() throws {
        #expect(try keychain.keyring("set", "s", "a", password: "two\nlines").exitStatus == 1)
        #expect(try keychain.items(.genericPassword).isEmpty)
    }

    /// Their services and accounts are in the same name space, and the file that names an index may be anybody's.
    @Test func `an index that is called as another helper's service is given nothing of it, and takes nothing away`()
        throws
    {
        let keychain = emptyKeychain()
        let token = secret("token")
        #expect(try KubernetesHelper.set("staging", token, in: keychain).exitStatus == 0)
        let aws = try AWSHelper.set(
            "default",
            accessKey: secret("AK"),
            secretKey: secret("SK"),
            sessionToken: nil,
            expiration: nil,
            in: keychain
        )
        #expect(aws.exitStatus == 0)
        for (service, account) in [("kubernetes", "staging"), ("aws", "default")] {
            #expect(try keychain.keyring("get", service, account).exitStatus == 1)
            #expect(try keychain.keyring("--mode", "creds", "get", service).exitStatus == 1)
            #expect(try keychain.keyring("del", service, account).exitStatus == 1)
            // It has the place, and keeps it.
            #expect(try keychain.keyring("set", service, account, password: "mine").exitStatus == 1)
        }
        #expect(try keychain.items(.genericPassword).count == 2)
        // The controls: each helper has its own.
        #expect(try KubernetesHelper.get("staging", request: nil, from: keychain).text.contains("token"))
        #expect(try keychain.keyring("set", "https://a.example", "alice", password: "p").exitStatus == 0)
        #expect(try keychain.keyring("get", "https://a.example", "alice").text == "p\n")
    }

    @Test(arguments: [
        [], ["get"], ["get", "s"], ["fly", "s", "u"], ["get", "s", "u", "v"], ["--mode"], ["get", "a\nb", "u"],
    ])
    func `a command line that is none of keyring's is refused`(_ words: [String]) {
        #expect(throws: HelperFailure.self) { try KeyringRequest(words) }
    }
}

@Suite struct CloudHelperTests {
    private let keychain = emptyKeychain()
    private let now = Timestamp(seconds: 1_800_000_000)

    private func set(_ values: String?..., profile: String = "work") throws(HelperFailure) {
        let secrets = values.map { $0.map(secret) }
        _ = try AWSHelper.set(
            profile,
            accessKey: secrets[0] ?? secret(""),
            secretKey: secrets[1] ?? secret(""),
            sessionToken: secrets.count > 2 ? secrets[2] : nil,
            expiration: secrets.count > 3 ? secrets[3] : nil,
            in: keychain
        )
    }

    @Test func `the credentials of a profile are AWS's document`() throws {
        try set("AKIA1", "s/e+c")
        #expect(
            try AWSHelper.get("work", at: now, from: keychain).text
                == #"{"Version":1,"AccessKeyId":"AKIA1","SecretAccessKey":"s/e+c"}"# + "\n"
        )
        try set("AKIA1", "s", "tok", "2030-01-02T03:04:05Z")
        #expect(
            try AWSHelper.get("work", at: now, from: keychain).text.contains(#""Expiration":"2030-01-02T03:04:05Z""#)
        )
        #expect(throws: HelperFailure.self) { try AWSHelper.get("other", at: now, from: keychain) }
        _ = try AWSHelper.delete("work", from: keychain)
        #expect(throws: HelperFailure.self) { try AWSHelper.delete("work", from: keychain) }
    }

    @Test func `credentials of a session that has ended are not given`() throws {
        try set("A", "s", "tok", "2027-01-15T08:00:00Z")
        #expect(try AWSHelper.get("work", at: Timestamp(seconds: 1_799_999_999), from: keychain).exitStatus == 0)
        #expect(throws: HelperFailure.self) { try AWSHelper.get("work", at: now, from: keychain) }
    }

    @Test(arguments: [["", "s"], ["A", ""], ["A", "s\nx"], ["A", "s", "t\0"], ["A", "s", "t", "tomorrow"]])
    func `what AWS's programs could not take is not stored`(_ values: [String]) throws {
        let secrets = values.map(secret)
        #expect(throws: HelperFailure.self) {
            try AWSHelper.set(
                "work",
                accessKey: secrets[0],
                secretKey: secrets[1],
                sessionToken: secrets.count > 2 ? secrets[2] : nil,
                expiration: secrets.count > 3 ? secrets[3] : nil,
                in: keychain
            )
        }
        #expect(try keychain.items(.genericPassword).isEmpty)
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("2000-02-29T12:00:00.5Z", 951_825_600), ("2027-01-15T08:00:00Z", 1_800_000_000),
        ("2027-01-15T10:30:00+02:30", 1_800_000_000), ("1969-12-31T23:59:59Z", -1),
    ])
    func `times are read`(_ text: String, _ seconds: Int64) {
        #expect(Timestamp(text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "2027", "2027-02-29T00:00:00Z", "2027-13-01T00:00:00Z", "2027-01-01T24:00:00Z", "2027-01-01 00:00:00Z",
        "2027-01-01T00:00:00", "2027-01-01T00:00:00.Z", "2027-01-01T00:00:00+1:00",
        "99999999999999999999-01-01T00:00:00Z",
    ])
    func `what is no time is none`(_ text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `kubectl gets its token in the version that it asks for`() throws {
        _ = try KubernetesHelper.set("staging", secret("t0ken"), in: keychain)
        func get(_ version: String) throws(HelperFailure) -> String {
            let request =
                #"{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/\#(version)","spec":{"interactive":false}}"#
            return try KubernetesHelper.get("staging", request: request, from: keychain).text
        }
        for version in ["v1", "v1beta1"] {
            #expect(
                try get(version) == #"{"apiVersion":"client.authentication.k8s.io/\#(version)","#
                    + #""kind":"ExecCredential","status":{"token":"t0ken"}}"# + "\n"
            )
        }
        #expect(throws: HelperFailure.self) { try get("v2") }
        #expect(throws: HelperFailure.self) { try KubernetesHelper.get("staging", request: "{", from: keychain) }
        #expect(try KubernetesHelper.get("staging", request: nil, from: keychain).text.contains("k8s.io/v1\""))
    }

    @Test func `a certificate and its key are given as kubectl wants them`() throws {
        let certificate = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        let key = "-----BEGIN EC PRIVATE KEY-----\nBBBB\n-----END EC PRIVATE KEY-----\n"
        _ = try KubernetesHelper.set("staging", secret(certificate + key), in: keychain)
        let text = try KubernetesHelper.get("staging", request: nil, from: keychain).text
        #expect(text.contains(#""clientCertificateData":"-----BEGIN CERTIFICATE-----\nAAAA\n"#))
        #expect(text.contains(#""clientKeyData":"-----BEGIN EC PRIVATE KEY-----\nBBBB\n"#))
        for text in [certificate, key, certificate + key + key, certificate + "-----BEGIN EC PRIVATE KEY-----\n"] {
            #expect(throws: HelperFailure.self) { try KubernetesHelper.set("staging", secret(text), in: keychain) }
        }
    }
}
