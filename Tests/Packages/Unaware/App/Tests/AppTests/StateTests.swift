import AppState
import Networking
import XCTest

final class StateTests: XCTestCase {
    func testDependenciesSeeNoKeychain() {
        XCTAssertEqual([stateSees, networkingSees], ["no Security", "no Security"])
        XCTAssertEqual(errSecItemNotFound, -25300)
    }
}
