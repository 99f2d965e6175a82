/// What is trusted as it is.
package struct TrustAnchors: Sendable {
    // No type of X509 may show in what others import, not even as a member that is private: reading the module fails
    // then. See `Package.swift`.
    private let boxed: any AnyObject & Sendable

    private init(boxed: any AnyObject & Sendable) {
        self.boxed = boxed
    }

    /// Certificates of the caller's own, as DER bytes. Bytes that are no certificate are left out.
    package static func only(_ certificates: [[UInt8]]) -> TrustAnchors {
        TrustAnchors(boxed: ParsedCertificates(certificates))
    }

    /// The system's.
    package static var system: TrustAnchors { SystemAnchors.current().trusted }

    /// The system's, and others.
    package static func systemAnd(_ certificates: [[UInt8]]) -> TrustAnchors {
        TrustAnchors(boxed: ParsedCertificates(parsed(system), and: ParsedCertificates(certificates)))
    }

    fileprivate var object: any AnyObject & Sendable { boxed }
}

/// The certificates behind anchors.
func parsed(_ anchors: TrustAnchors) -> ParsedCertificates {
    // Made above and nowhere else.
    unsafe unsafeDowncast(anchors.object, to: ParsedCertificates.self)
}
