import AccessPages
import KeychainModel
import KeychainTestSupport
import Testing

/// The table: what is found, in which order, on which page.
struct IndexTests {
    private let site: PagesSite
    private let catalogue: ItemCatalogue

    init() throws {
        site = try PagesSite()
        catalogue = ItemCatalogue(site.connection, changes: FileChanges(directory: site.keychain.path))
    }

    private func selection(_ query: String) throws -> ItemSelection {
        ItemSelection(try #require(FormFields(query.utf8)))
    }

    private func names(_ query: String) throws -> [String] {
        try catalogue.index().page(selection(query)).items.map(\.account)
    }

    @Test func `a search finds parts of names, accounts, places and groups, in capitals or not`() throws {
        try site.connection.add("ann", service: "Mail")
        try site.connection.add("Émile", service: "shop") { $0.accessGroup = "org.example" }
        try site.connection.add("carl", service: "x") { $0.attributes[.label] = .string("The mailbox") }
        #expect(try names("query=MAIL") == ["ann", "carl"])
        #expect(try names("query=%C3%A9mi") == ["Émile"])
        #expect(try names("query=org.ex+shop") == ["Émile"])
        #expect(try names("query=mail+shop") == [])
        #expect(try names("query=") == ["ann", "Émile", "carl"])
    }

    @Test func `filters restrict, and what they do not know does not`() throws {
        try site.connection.add("one", service: "b")
        try site.connection.add("two", service: "a") {
            $0.accessGroup = "org.example"
            $0.isSynchronizable = true
        }
        try site.connection.add("three", service: "c") { $0.accessibility = .alwaysThisDeviceOnly }
        #expect(try names("sync=yes") == ["two"])
        #expect(try names("sync=no&sort=account") == ["one", "three"])
        #expect(try names("group=org.example") == ["two"])
        #expect(try names("protection=dku") == ["three"])
        #expect(try names("kind=key") == [])
        #expect(
            try names("kind=nothing&protection=nothing&sync=maybe&sort=nothing&page=-1") == ["two", "one", "three"]
        )
        #expect(try names("sort=account&order=down") == ["two", "three", "one"])
    }

    @Test func `a query that a page leads to says the same again`() throws {
        for query in [
            "", "search=1", "kind=key&group=x&protection=ck&sync=no&sort=modified&order=down&page=3&search=0",
        ] {
            let searches = ["a&b c", "d"]
            let first = ItemSelection(try #require(FormFields(query.utf8)), searches: searches)
            #expect(ItemSelection(try #require(FormFields(first.query.utf8)), searches: searches) == first)
            #expect(!first.query.contains("query"))
        }
    }

    @Test func `pages have a hundred rows each, and a number that is too high is the last one`() throws {
        for number in 0..<250 { try site.connection.add("account \(1_000 + number)", service: "\(1_000 + number)") }
        let index = try catalogue.index()
        let pages = try ["", "page=2", "page=3", "page=99"].map { index.page(try selection($0)) }
        #expect(pages.map(\.items.count) == [100, 100, 50, 50])
        #expect(pages.map(\.start) == [0, 100, 200, 200])
        #expect(Set(pages.prefix(3).flatMap { $0.items.map(\.reference) }).count == 250)
        #expect(pages[0].total == 250)
    }
}

struct FormFieldsTests {
    @Test func `fields are read as browsers send them`() throws {
        let fields = try #require(FormFields("a=1&b=x+y%26%3D%C3%A9&a=2&c&=d&e=".utf8))
        #expect(fields.values("a") == ["1", "2"])
        #expect(fields["a"] == nil)
        #expect(fields["b"] == "x y&=é")
        #expect(fields["c"]?.isEmpty == true)
        #expect(fields["missing"] == nil)
    }

    @Test(arguments: ["a=%", "a=%4", "a=%zz", "%=1", "a=%ff", "a=%c3"])
    func `what is no form is none`(_ text: String) {
        #expect(FormFields(text.utf8) == nil)
    }

    @Test func `a form of too many fields is none`() {
        let field = String(repeating: "a=1&", count: FormFields.most)
        #expect(FormFields(field.utf8) != nil)
        #expect(FormFields((field + "a=1").utf8) == nil)
    }
}
