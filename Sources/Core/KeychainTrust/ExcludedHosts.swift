/// An excluded subtree of hosts' names: those that an authority does not certify (RFC 5280, section 4.2.1.10).
///
/// The verifier's own policy compares texts, and passes over what it takes for no name. Here names are read as
/// `HostName` reads them, so that no name is for a host that is excluded.
struct ExcludedHosts {
    /// nil for a constraint that is no name: nobody can say what it excludes.
    private let labels: [String]?

    /// - Parameter constraint: a name, which excludes itself and all names below. A dot or a wildcard in front changes
    ///   nothing; no name at all excludes every name.
    init(_ constraint: String) {
        var name = constraint[...]
        if name.hasPrefix("*") { name = name.dropFirst() }
        if name.hasPrefix(".") { name = name.dropFirst() }
        labels = name.isEmpty ? [] : HostName.labels(of: String(name))
    }

    /// Whether a name in a certificate is excluded, or one of those that a wildcard in it stands for. What cannot be
    /// compared counts as excluded.
    func overlap(_ name: String) -> Bool {
        guard let labels, let presented = HostName.labels(of: name) else { return true }
        guard presented.first == "*" else { return presented.hasSuffix(labels) }
        // It stands for one label of any kind.
        let domain = presented.dropFirst()
        return domain.hasSuffix(labels) || labels.count == domain.count + 1 && labels.hasSuffix(domain)
    }
}

extension BidirectionalCollection where Element: Equatable {
    fileprivate func hasSuffix(_ suffix: some BidirectionalCollection<Element>) -> Bool {
        count >= suffix.count && self.suffix(suffix.count).elementsEqual(suffix)
    }
}
