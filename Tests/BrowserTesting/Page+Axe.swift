/// A rule of axe's that a page breaks.
package struct AxeViolation: Sendable {
    package let rule: String
    /// `minor`, `moderate`, `serious` or `critical`.
    package let impact: String
    package let help: String
    /// The HTML of each element that breaks it, and what axe says of it.
    package let nodes: [String]
}

extension AxeViolation: CustomStringConvertible {
    package var description: String { "\(rule) (\(impact)): \(help)\(nodes.map { "\n  " + $0 }.joined())" }
}

extension Page {
    /// Judges the page by axe-core's rules for WCAG 2.2 at level AA, and by its best practices.
    ///
    /// - Parameter source: axe.min.js. The page's policy is not asked about it.
    package func runAxe(source: String, within seconds: Double = 60) throws -> [AxeViolation] {
        try evaluate("if (!window.axe) { \(source)\n }; 0", within: seconds)
        let run = """
            axe.run(document, {
                runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'],
                resultTypes: ['violations'],
            }).then(result => result.violations.map(({id, impact, help, nodes}) => ({
                id, impact, help, nodes: nodes.map(({html, failureSummary}) => `${html}: ${failureSummary}`),
            })))
            """
        return try evaluate(run, within: seconds).elements.map { violation in
            AxeViolation(
                rule: violation["id"].description,
                impact: violation["impact"].description,
                help: violation["help"].description,
                nodes: violation["nodes"].elements.map(\.description)
            )
        }
    }
}
