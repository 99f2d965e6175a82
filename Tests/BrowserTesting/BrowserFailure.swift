/// What went wrong with the browser or with a page, in a sentence or two.
package struct BrowserFailure: Error, CustomStringConvertible {
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
