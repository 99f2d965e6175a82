import KeychainSync
import Testing

@Suite("Names of blobs")
struct BlobNameTests {
    private static let hash = SyncHash(of: [])
    private static let journals = [SyncName((1...16).map { UInt8($0) })].compactMap(\.self)
    private static let digits = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    private static let names: [(BlobName, String)] =
        [(.entry(hash), "entry/\(digits)")]
        + journals.flatMap { journal in
            [
                (.head(journal), "head/0102030405060708090a0b0c0d0e0f10"),
                (.join(journal, step: 3), "join/0102030405060708090a0b0c0d0e0f10/3"),
                (
                    BlobName(JournalPoint(journal: journal, number: 10, hash: hash)),
                    "seg/0102030405060708090a0b0c0d0e0f10/10-e3b0c442"
                ),
            ]
        }

    @Test(arguments: names)
    func `a name has one spelling, which is read back`(name: BlobName, text: String) {
        #expect(name.text == text)
        #expect(BlobName(text) == name)
        for changed in [
            text.uppercased(), text + "0", "/" + text, text + "/", "./" + text, text + ".new", String(text.dropLast()),
            text.replacing("/", with: "//"), text + "\0", " " + text, text.replacing("e3b0", with: "E3b0"),
        ] where changed != text && changed != "join/0102030405060708090a0b0c0d0e0f10/" {
            #expect(BlobName(changed) == nil, "\(changed)")
        }
    }

    @Test(arguments: [
        "", "/", "entry", "entry/", "head", "join", "seg", "other/\(digits)", "entry/../\(digits)", "entry/\(digits)/1",
        "join/0102030405060708090a0b0c0d0e0f10/0", "join/0102030405060708090a0b0c0d0e0f10/5",
        "join/0102030405060708090a0b0c0d0e0f10/01", "join/0102030405060708090a0b0c0d0e0f10/+1",
        "join/0102030405060708090a0b0c0d0e0f10", "seg/0102030405060708090a0b0c0d0e0f10",
        "seg/0102030405060708090a0b0c0d0e0f10/1", "seg/0102030405060708090a0b0c0d0e0f10/1-e3b0c4",
        "seg/0102030405060708090a0b0c0d0e0f10/01-e3b0c442", "seg/0102030405060708090a0b0c0d0e0f10/-1-e3b0c442",
        "seg/0102030405060708090a0b0c0d0e0f10/1-e3b0c442-1",
        "seg/0102030405060708090a0b0c0d0e0f10/18446744073709551616-e3b0c442", "head/..", "head/.", "entry/ä",
    ])
    func `other names are none`(text: String) { #expect(BlobName(text) == nil) }
}
