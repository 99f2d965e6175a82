import KeychainMessages
import KeychainModel
import Testing

@Suite("The numbers of errors")
struct ErrorNumberTests {
    @Test(arguments: KeychainError.Code.allCases)
    func `an error has the number in the model that it has in the contract`(code: KeychainError.Code) throws {
        let named = try #require(WireCode.allCases.first { "\($0)" == "\(code)" })
        #expect(named.rawValue == Int(code.rawValue))
    }

    @Test func `the contract knows no other error`() {
        #expect(WireCode.allCases.count == KeychainError.Code.allCases.count + 1)
        #expect(WireCode.unspecified.rawValue == 0)
    }
}
