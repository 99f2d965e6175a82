import EtcdTransport
import Testing

@Suite("The address of a cluster")
struct AddressTests {
    private func address(_ text: String) throws -> EtcdAddress { try EtcdAddress(text, credentialsIn: "/c") }

    @Test func `names nodes, the circle, and where credentials are`() throws {
        let one = try address("etcd://etcd.example.org/ada")
        #expect(one.nodes == [.init(host: "etcd.example.org", port: 2_379)])
        #expect(one.circle == "ada")
        #expect(one.credentials == "/c/ada.pem")
        #expect(one.serverName == "etcd.example.org")
        let three = try address("etcd://192.0.2.1:1,192.0.2.2:65535,[2001:db8::1]:7/a-1?credentials=/x/y.pem")
        #expect(
            three.nodes == [
                .init(host: "192.0.2.1", port: 1), .init(host: "192.0.2.2", port: 65_535),
                .init(host: "2001:db8::1", port: 7),
            ]
        )
        #expect(three.credentials == "/x/y.pem")
        #expect(three.serverName == nil)
        #expect(try address("etcd://a,b/ada?name=nodes&credentials=/z").serverName == "nodes")
    }

    @Test(arguments: [
        "", "etcd://", "etcd:///ada", "etcd://a", "etcd://a/", "http://a/ada", "ETCD://a/ada", "etcd://a/ada/b",
        "etcd://a,/ada", "etcd://a,a/ada", "etcd://a,b/ada", "etcd://a:0/ada", "etcd://a:65536/ada", "etcd://a:x/ada",
        "etcd://a:/ada", "etcd://[::1/ada", "etcd://[a]/ada", "etcd://[::1]x/ada", "etcd://a b/ada", "etcd://-a/ada",
        "etcd://a/Ada", "etcd://a/a.b", "etcd://a/-a", "etcd://a/a%62", "etcd://a/ada?", "etcd://a/ada?credentials=x",
        "etcd://a/ada?credentials=", "etcd://a/ada?password=x", "etcd://a/ada?name=x&name=y", "etcd://u:p@a/ada",
        "etcd://a/" + String(repeating: "a", count: 65),
        "etcd://" + (0..<17).map { "192.0.2.\($0)" }.joined(separator: ",") + "/ada",
    ])
    func `is refused where it is none`(_ text: String) throws {
        #expect { _ = try address(text) } throws: { ($0 as? EtcdFailure)?.kind == .other }
    }
}

@Suite("A request to the program of a transport")
struct RequestTests {
    @Test func `is a line of words`() {
        #expect(TransportRequest("circles") == .circles)
        #expect(TransportRequest("list head ab12") == .list(kind: "head", circle: "ab12"))
        #expect(TransportRequest("read seg/1/2-3 ab 99") == .read(name: "seg/1/2-3", circle: "ab", most: 99))
        #expect(TransportRequest("write head/1 ab 0") == .write(name: "head/1", circle: "ab", count: 0))
        #expect(
            TransportRequest("write-all ab seg/1 3 head/1 0")
                == .writeAll(circle: "ab", blobs: [.init(name: "seg/1", count: 3), .init(name: "head/1", count: 0)])
        )
        #expect(TransportRequest("remove head/1 ab") == .remove(name: "head/1", circle: "ab"))
        #expect(TransportRequest("watch ab") == .watch(circle: "ab"))
    }

    @Test(arguments: [
        "", " ", "circles ", "list head", "list  head ab", "list head ab cd", "read head/1 ab", "read head/1 ab -1",
        "read head/1 ab 99999999999999999999", "write head/1 ab 4194305", "write head/1 ab 0x1", "remove ../x ab",
        "remove head/1 a\u{0}b", "write-all ab", "write-all ab seg/1", "write-all ab seg/1 3 head/1",
        "write-all ab seg/1 -3", "write-all ab seg/1 4194304 head/1 1", "list HEAD ab", "watch ä", "exit",
        "remove head/\u{1B}[2J ab",
    ])
    func `is none where a word is missing, of too much, or not plain`(_ line: String) {
        #expect(TransportRequest(line) == nil)
    }
}
