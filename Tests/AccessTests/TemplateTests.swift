import Foundation
import Testing

@testable import AccessPages

struct TemplateTests {
    @Test func `each template of the pages is a part of the program, and each that one names is there`() throws {
        let here = URL(filePath: #filePath).deletingLastPathComponent()
        let folder = here.appending(path: "../../Sources/Programs/AccessPages/Resources")
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.path).filter {
            $0.hasSuffix(".mustache")
        }
        #expect(Set(files) == Set(PageTemplates.sources.keys.map { $0 + ".mustache" }))
        for (name, bytes) in PageTemplates.sources {
            for match in String(decoding: bytes, as: UTF8.self).matches(of: #/\{\{> ([a-z-]+)\}\}/#) {
                #expect(PageTemplates.sources[String(match.1)] != nil, "\(name) names \(match.1)")
            }
        }
    }
}
