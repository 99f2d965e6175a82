/// A place where the focus stops on its way through a page.
package struct TabStop: Sendable, Equatable {
    package let role: String
    package let name: String
    /// Whether an outline or a shadow tells it from what has no focus.
    package let hasFocusRing: Bool

    package init(role: String, name: String, hasFocusRing: Bool) {
        self.role = role
        self.name = name
        self.hasFocusRing = hasFocusRing
    }
}

extension Page {
    /// All that a screen reader finds in the page, and what it is not told.
    package func accessibilityTree() throws -> [AccessibleNode] {
        try send("Accessibility.getFullAXTree")["nodes"].elements.map(AccessibleNode.init)
    }

    /// Controls and images without a name, and what takes the focus without being anything.
    package func unnamedControls() throws -> [AccessibleNode] {
        try accessibilityTree().filter(\.lacksName)
    }

    /// The HTML of what a node stands for.
    package func html(of node: AccessibleNode) throws -> String {
        guard let element = node.element else { return "" }
        let html = try send("DOM.getOuterHTML", ["backendNodeId": .number(Double(element))])
        return html["outerHTML"].text ?? ""
    }

    /// What has the focus; nil if only the page as a whole has it.
    package func focusedElement() throws -> AccessibleNode? {
        try focus()?.node
    }

    /// Goes through the page by Tab from its top, or from where a dialog has the focus, until it has come around.
    package func tabStops(limit: Int = 100) throws -> [TabStop] {
        try evaluate(
            """
            (() => {
                const body = document.body, before = body.getAttribute('tabindex');
                if (document.querySelector('dialog:modal')) return;
                body.tabIndex = -1;
                body.focus({preventScroll: true});
                if (before === null) body.removeAttribute('tabindex'); else body.setAttribute('tabindex', before);
            })()
            """
        )
        var stops: [(object: String, node: AccessibleNode, ring: JSONValue)] = []
        while stops.count < limit {
            try press(.tab)
            guard let (object, node) = try focus(), !stops.contains(where: { $0.node.element == node.element }) else {
                break
            }
            stops.append((object, node, try call(Self.ring, on: object)))
        }
        try evaluate("(\(Self.focused))?.blur()")
        return try stops.map { stop in
            TabStop(
                role: stop.node.role,
                name: stop.node.name,
                hasFocusRing: try call(Self.ring, on: stop.object) != stop.ring
            )
        }
    }

    private func focus() throws -> (object: String, node: AccessibleNode)? {
        guard let object = try object(Self.focused) else { return nil }
        let tree = try send("Accessibility.getPartialAXTree", ["objectId": .string(object), "fetchRelatives": false])
        return (object, AccessibleNode(tree["nodes"][0]))
    }

    /// What has the focus, also within components.
    private static let focused = """
        (() => {
            let element = document.activeElement;
            while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
            return element === document.body || element === document.documentElement ? null : element;
        })()
        """

    /// What can be seen around an element, or around those beside and about it that may stand for it, once all that is
    /// still changing has changed.
    private static let ring = """
        function() {
            const around = [this, this.nextElementSibling, this.parentElement].filter(one => one).map(one => [one]);
            return [...around, [this, '::before'], [this, '::after']].map(([one, part]) => {
                const style = getComputedStyle(one, part);
                style.outlineStyle;
                for (const change of one.getAnimations()) if (change instanceof CSSTransition) change.finish();
                const outline = style.outlineStyle === 'none' || style.outlineWidth === '0px' ? ''
                    : style.outlineStyle + style.outlineWidth + style.outlineColor;
                return outline + '|' + style.boxShadow;
            }).join();
        }
        """
}
