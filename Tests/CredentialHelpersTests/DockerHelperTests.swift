import CredentialHelpers
import KeychainModel
import Testing

@Suite struct DockerHelperTests {
    private let keychain = emptyKeychain()
    private let hub = "https://index.docker.io/v1/"

    private func store(_ url: String, _ username: String = "alice", _ secret: String = "s3cret") -> HelperReply {
        keychain.docker("store", #"{"ServerURL":"\#(url)","Username":"\#(username)","Secret":"\#(secret)"}"#)
    }

    @Test func `what was stored is found, with and without a line end`() {
        #expect(store(hub).exitStatus == 0)
        let answer = #"{"ServerURL":"https://index.docker.io/v1/","Username":"alice","Secret":"s3cret"}"# + "\n"
        #expect(keychain.docker("get", hub).text == answer)
        #expect(keychain.docker("get", hub + "\n").text == answer)
    }

    @Test func `errors are docker's own sentences on standard output`() {
        func isError(_ reply: HelperReply, _ sentence: String) -> Bool {
            reply.text == sentence + "\n" && reply.exitStatus == 1 && reply.message.isEmpty
        }
        #expect(isError(keychain.docker("get", hub), "credentials not found in native keychain"))
        #expect(isError(keychain.docker("get", " \n"), "no credentials server URL"))
        #expect(isError(keychain.docker("erase", ""), "no credentials server URL"))
        #expect(isError(store(""), "no credentials server URL"))
        #expect(isError(store(hub, ""), "no credentials username"))
        #expect(isError(keychain.docker("fly"), "unknown credential action `fly`"))
    }

    @Test func `erasing what is not there is no error`() {
        #expect(keychain.docker("erase", hub).exitStatus == 0)
        _ = store(hub)
        #expect(keychain.docker("erase", hub).exitStatus == 0)
        #expect(keychain.docker("get", hub).exitStatus == 1)
    }

    @Test func `the list has each server as docker wrote it`() {
        #expect(keychain.docker("list").text == "{}\n")
        _ = store(hub, "a")
        _ = store("registry.example.com:5000", "b")
        let list = keychain.docker("list").text
        #expect(
            list.contains(#""https://index.docker.io/v1/":"a""#) && list.contains(#""registry.example.com:5000":"b""#)
        )
    }

    @Test func `a registry has one account`() {
        _ = store(hub, "a", "1")
        _ = store(hub, "b", "2")
        #expect(keychain.docker("list").text == #"{"https://index.docker.io/v1/":"b"}"# + "\n")
        #expect(keychain.docker("get", hub).text.contains(#""Secret":"2""#))
    }

    @Test func `a server without a scheme is one of https, and other ports and schemes are other servers`() {
        _ = store("registry.example.com")
        #expect(keychain.docker("get", "https://registry.example.com/").exitStatus == 0)
        #expect(keychain.docker("get", "http://registry.example.com").exitStatus == 1)
        #expect(keychain.docker("get", "registry.example.com:5000").exitStatus == 1)
        #expect(keychain.docker("get", "registry.example.com/v2").exitStatus == 1)
    }

    @Test func `a secret of all kinds of characters comes back as it went in`() throws {
        #expect(store(hub, "a", #"\"\\\u00e9\ud83d\ude00\n\u0000\/"#).exitStatus == 0)
        #expect(try keychain.items().first?.secrets[.valueData]?.plain == "\"\\é😀\n\0/")
        #expect(keychain.docker("get", hub).text.contains(#""Secret":"\"\\é😀\n\u0000/""#))
    }

    @Test func `the item has the label that docker's items have on a Mac`() throws {
        _ = store("https://registry.example.com:5000/v2/")
        let item = try #require(try keychain.items().first)
        #expect(item.attributes[.label] == .string("Docker Credentials"))
        #expect(item.attributes[.server] == .string("registry.example.com"))
        #expect(item.attributes[.port] == .integer(5000))
        #expect(item.attributes[.path] == .string("/v2"))
    }

    @Test(arguments: [
        "", "{", "[]", "null", #"{"ServerURL":1,"Username":"a","Secret":"s"}"#, #"{"ServerURL":"a","Username":"a"}"#,
        #"{"ServerURL":"a","ServerURL":"b","Username":"a","Secret":"s"}"#,
        #"{"ServerURL":"a","Username":"a","Secret":"s"}x"#,
        #"{"ServerURL":"a\u0000b","Username":"a","Secret":"s"}"#, #"{"ServerURL":"a","Username":"a\nb","Secret":"s"}"#,
        #"{"ServerURL":"a","Username":"a","Secret":"\ud800"}"#, #"{"ServerURL":"a","Username":"a","Secret":"\x"}"#,
        #"{"ServerURL":"https://a.example\\@b.example","Username":"a","Secret":"s"}"#,
        #"{"ServerURL":"rsync://a","Username":"a","Secret":"s"}"#, #"{"ServerURL":"a","Username":"a","Secret":"s"#,
        String(repeating: "[", count: 100_000), #"{"ServerURL":"a","Username":"a","Secret":"\u+123"}"#,
    ])
    func `what is no credential is refused, and nothing is stored`(_ input: String) throws {
        let reply = keychain.docker("store", input)
        #expect(reply.exitStatus == 1 && !reply.text.isEmpty)
        #expect(try keychain.items().isEmpty)
    }

    @Test func `ten megabytes and bytes that are no text are refused`() {
        #expect(keychain.docker("store", String(repeating: "x", count: 10 << 20)).exitStatus == 1)
        #expect(DockerHelper.answer("get", SecretBytes([0xFF, 0xFE]), from: keychain).exitStatus == 1)
        let bytes = Array(#"{"ServerURL":"a","Username":"a","Secret":""#.utf8) + [0xC3, 0x28] + Array("\"}".utf8)
        #expect(DockerHelper.answer("store", SecretBytes(bytes), from: keychain).exitStatus == 1)
    }
}
