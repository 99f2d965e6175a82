extension String {
    /// Without white space at its beginning and end, scalar by scalar.
    var withoutSpacesAround: String {
        let start = unicodeScalars.drop { $0.properties.isWhitespace }
        guard let end = start.lastIndex(where: { !$0.properties.isWhitespace }) else { return "" }
        return String(String.UnicodeScalarView(start[...end]))
    }
}
