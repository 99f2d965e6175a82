import Testing
@testable import FingerprintReader
@Test func `a stub`() { #expect(stub() == 32) }
