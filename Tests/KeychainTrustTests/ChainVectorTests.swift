import Foundation
import KeychainCertificates
import KeychainTrust
import Testing

@Suite("Vectors of chains")
struct ChainVectorTests {
    @Test(arguments: ChainVector.all)
    func `a chain on Edwards' curve is trusted as far as its names allow`(vector: ChainVector) throws {
        let verdict = evaluate(
            Array(try Data(contentsOf: vector.leaf)),
            with: [Array(try Data(contentsOf: vector.intermediate))],
            anchors: [Array(try Data(contentsOf: ChainVector.root))],
            for: .tls(isServer: true, name: vector.host),
            at: ChainRecipe.date
        )
        let reasons = verdict.reasons.map { "\($0)" }.sorted().joined(separator: ",")
        #expect((verdict.isTrusted ? "trusted" : reasons) == vector.expectation)
    }

    /// `CHATELAINE_WRITE_VECTORS=1` makes the files anew first.
    @Test func `the files are what the recipes make`() throws {
        let recipes = ChainRecipe.all
        let lines = recipes.map { $0.vector.line + "\n" }.joined()
        if ProcessInfo.processInfo.environment["CHATELAINE_WRITE_VECTORS"] == "1" {
            try Data(ChainRecipe.root()).write(to: ChainVector.root)
            for recipe in recipes {
                try Data(recipe.intermediate()).write(to: recipe.vector.intermediate)
                try Data(recipe.leaf()).write(to: recipe.vector.leaf)
            }
            try lines.write(to: ChainVector.manifest, atomically: true, encoding: .utf8)
        }
        #expect(try String(contentsOf: ChainVector.manifest, encoding: .utf8) == lines)
        #expect(try Data(contentsOf: ChainVector.root) == Data(ChainRecipe.root()))
        for recipe in recipes {
            #expect(try Data(contentsOf: recipe.vector.intermediate) == Data(recipe.intermediate()))
            #expect(try Data(contentsOf: recipe.vector.leaf) == Data(recipe.leaf()))
        }
    }
}
