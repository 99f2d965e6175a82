import KeychainCertificates
import KeychainExchange
import Testing

@Suite struct OIDTests {
    @Test(
        "Numbers with dots between them are an identifier, and are printed as they were",
        arguments: [
            "0.0", "1.39", "2.5.4.3", "2.999", "1.2.840.113549.1.9.1", "2.144115188075855791", "1.3.144115188075855871",
        ]
    )
    func dotted(text: String) throws {
        #expect(try #require(OID(dotted: text)).description == text)
    }

    @Test(
        "Anything else is none",
        arguments: [
            "", "1", "1.", ".1", "1..2", "3.1", "0.40", "1.40", "-1.2", "1.-2", "+1.2", "1.2.x", "1.2.3 ",
            "1.2.18446744073709551616",
            "2.144115188075855872", "2.5.4.\u{663}",
        ]
    )
    func malformed(text: String) {
        #expect(OID(dotted: text) == nil)
    }
}
