import SwiftASN1

/// Bytes that are not what they should be. It never leaves this module: what is malformed is nil outside.
struct Malformed: Error {}

extension ASN1Node {
    /// Gives the body the children of a node of the given kind, one after the other.
    func forEachChild(of identifier: ASN1Identifier, _ body: (ASN1Node) throws -> Void) throws {
        guard self.identifier == identifier, case .constructed(let children) = content else { throw Malformed() }
        for child in children { try body(child) }
    }
}
