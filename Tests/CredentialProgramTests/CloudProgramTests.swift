import Foundation
import KeychainTestSupport
import Testing

/// The helper as AWS's command and kubectl themselves use it.
@Suite struct CloudProgramTests {
    @Test(.enabled(if: isThere("aws"), "needs AWS's command"), arguments: HelperSite.Keychain.allCases)
    func `aws signs its requests with the stored key`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let server = try CredentialServer(in: site.folder)
        try site.write(
            "[profile work]\nregion = us-east-1\ncredential_process = chatelaine-credential aws work\n",
            to: "home/.aws/config"
        )
        let aws = "aws sts get-caller-identity --profile work --endpoint-url http://127.0.0.1:\(server.port)"
        #expect(try site.run(aws).errors.contains("there are no credentials for the profile work"))
        let set = try site.run("chatelaine-credential aws set work", input: "AKIAEXAMPLE\nsecret/key+1\n")
        #expect(set.status == 0, "\(set.errors)")
        let identity = try site.run(aws)
        #expect(identity.output.contains("arn:aws:iam::1:user/alice"), "\(identity.errors)")
        #expect(!server.log.contains("secret/key+1"))
        #expect(try site.run("chatelaine-credential aws delete work").status == 0)
        #expect(try site.run("chatelaine-credential aws work").status == 1)
    }

    @Test(
        .enabled(
            if: isThere("kubectl", "version --client", atLeast: 1, 22),
            "needs kubectl 1.22 or newer, which speaks v1"
        ),
        arguments: HelperSite.Keychain.allCases
    )
    func `kubectl sends the stored token`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        let made = try site.run(
            """
            openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key.pem -out cert.pem -days 2 \
            -subj /CN=127.0.0.1 -addext subjectAltName=IP:127.0.0.1 && cat cert.pem key.pem >both.pem
            """
        )
        #expect(made.status == 0, "\(made.errors)")
        let server = try CredentialServer(in: site.folder, certificate: site.folder + "/both.pem")
        for version in ["v1", "v1beta1"] {
            try site.write(
                """
                {"apiVersion":"v1","kind":"Config","current-context":"c",
                "clusters":[{"name":"c","cluster":{"server":"https://127.0.0.1:\(server.port)",
                "certificate-authority":"\(site.folder)/cert.pem"}}],
                "contexts":[{"name":"c","context":{"cluster":"c","user":"u"}}],
                "users":[{"name":"u","user":{"exec":{"apiVersion":"client.authentication.k8s.io/\(version)",
                "command":"chatelaine-credential","args":["kubectl","staging"],"interactiveMode":"IfAvailable"}}}]}
                """,
                to: "home/\(version).json"
            )
            let kubectl = "kubectl --kubeconfig \(site.folder)/home/\(version).json get --raw /api"
            _ = try site.run("chatelaine-credential kubectl delete staging")
            #expect(try site.run(kubectl).status != 0)
            let set = try site.run("chatelaine-credential kubectl set staging", input: CredentialServer.token + "\n")
            #expect(set.status == 0, "\(set.errors)")
            let outcome = try site.run(kubectl)
            #expect(outcome.output.contains("APIVersions"), "\(outcome.errors)")
        }
    }

    @Test(arguments: HelperSite.Keychain.allCases)
    func `what cannot be understood is refused with a sentence`(_ keychain: HelperSite.Keychain) throws {
        let site = try HelperSite(keychain)
        for line in [
            "aws", "aws set", "aws set a b", "kubectl", "kubectl fly a b", "keyring get", "keyring", "cargo", "docker",
            "git",
        ] {
            let outcome = try site.run("chatelaine-credential \(line)")
            #expect(outcome.status == 1)
            #expect(!(outcome.errors + outcome.output).isEmpty)
        }
        for line in ["", "fly", "-x"] { #expect(try site.run("chatelaine-credential \(line)").status == 2) }
        #expect(try site.run("chatelaine-credential --help").status == 0)
        #expect(try site.run("KUBERNETES_EXEC_INFO='{' chatelaine-credential kubectl a").status == 1)
        #expect(try site.run("chatelaine-credential aws set a", input: "one line\n").status == 1)
    }

    @Test(arguments: HelperSite.Keychain.allCases)
    func `what another helper has under a name is left alone, and that is said`(_ keychain: HelperSite.Keychain) throws
    {
        let site = try HelperSite(keychain)
        #expect(try site.run("keyring set aws work", input: "password\n").status == 0)
        let refused = try site.run("chatelaine-credential aws set work", input: "AKIAEXAMPLE\nsecret\n")
        #expect(refused.status == 1 && refused.errors.contains("has stored an item of this name"), "\(refused.errors)")
        #expect(try site.run("keyring get aws work").output == "password\n")
    }
}
