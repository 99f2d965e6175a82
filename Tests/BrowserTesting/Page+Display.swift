import Foundation

extension Page {
    /// A picture, as PNG.
    ///
    /// - Parameter isWhole: whether it shows also what a reader has to scroll to.
    package func screenshot(isWhole: Bool = false) throws -> [UInt8] {
        var parameters: [String: JSONValue] = ["format": "png", "captureBeyondViewport": .boolean(isWhole)]
        if isWhole {
            let size = try send("Page.getLayoutMetrics")["cssContentSize"]
            parameters["clip"] = ["x": 0, "y": 0, "width": size["width"], "height": size["height"], "scale": 1]
        }
        let picture = try send("Page.captureScreenshot", .object(parameters), within: 30)["data"].text ?? ""
        return Array(Data(base64Encoded: picture) ?? Data())
    }

    /// Tells the page what its user likes, in the words of CSS; nil is what this machine says.
    package func setEmulatedMedia(
        colorScheme: String? = nil,
        reducedMotion: String? = nil,
        contrast: String? = nil
    ) throws {
        let features: KeyValuePairs = [
            "prefers-color-scheme": colorScheme, "prefers-reduced-motion": reducedMotion, "prefers-contrast": contrast,
        ]
        let values: [JSONValue] = features.map { ["name": .string($0), "value": .string($1 ?? "")] }
        try send("Emulation.setEmulatedMedia", ["features": .array(values)])
    }

    /// - Parameter scale: pixels of the screen for one of CSS.
    package func setViewport(width: Int, height: Int, scale: Double = 1) throws {
        try send(
            "Emulation.setDeviceMetricsOverride",
            [
                "width": .number(Double(width)), "height": .number(Double(height)),
                "deviceScaleFactor": .number(scale), "mobile": false,
            ]
        )
    }

    /// Whether the page's own scripts are ignored, from the next page that is opened on.
    package func disableJavaScript(_ isDisabled: Bool = true) throws {
        try send("Emulation.setScriptExecutionDisabled", ["value": .boolean(isDisabled)])
    }
}
