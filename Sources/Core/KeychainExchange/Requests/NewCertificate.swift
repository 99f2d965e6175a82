import KeychainCertificates
package import KeychainModel

/// A certificate of version 3 that is made here (RFC 5280, section 4.1): mostly one that its own key signs.
package struct NewCertificate: Sendable {
    /// Big-endian, from 1 to 20 bytes, above zero. What is chosen at random is not guessed.
    package let serialNumber: [UInt8]
    package let subject: [NamePart]
    package let issuer: [NamePart]
    /// The first and the last second in which it is valid, in seconds since 2001-01-01.
    package let notBefore: Double
    package let notAfter: Double
    /// A SubjectPublicKeyInfo in DER, as it is.
    package let publicKey: [UInt8]
    package let extensions: ExtensionList

    /// - Parameter issuer: nil for the subject itself.
    package init(
        serialNumber: [UInt8] = Self.randomSerialNumber(),
        subject: [NamePart],
        issuer: [NamePart]? = nil,
        notBefore: Double,
        notAfter: Double,
        publicKey: [UInt8],
        extensions: ExtensionList = ExtensionList()
    ) {
        self.serialNumber = serialNumber
        self.subject = subject
        self.issuer = issuer ?? subject
        self.notBefore = notBefore
        self.notAfter = notAfter
        self.publicKey = publicKey
        self.extensions = extensions
    }

    /// 127 random bits.
    package static func randomSerialNumber() -> [UInt8] {
        var bytes = PasswordEncryption.randomBytes(16)
        // Above zero, in as many bytes.
        bytes[0] = bytes[0] & 0x7F | 0x40
        return bytes
    }

    /// The TBSCertificate in DER. `SignatureAlgorithm.signed` makes the certificate of it.
    ///
    /// - Throws: `invalidParameter` for a part that the format has no room for.
    package func toBeSigned(_ algorithm: SignatureAlgorithm) throws(KeychainError) -> [UInt8] {
        let number = serialNumber.drop { $0 == 0 }
        guard (1...20).contains(number.count), number.count < 20 || number.first ?? 0 < 0x80 else {
            throw KeychainError(.invalidParameter, "a serial number has from 1 to 20 bytes and is above zero")
        }
        guard notBefore <= notAfter else {
            throw KeychainError(.invalidParameter, "the certificate would end before it begins")
        }
        let extensions =
            extensions.isEmpty ? [] : Encoding.tagged(3, try extensions.encoded())
        return Encoding.sequence(
            Encoding.tagged(0, Encoding.integer(2)),
            Encoding.integer(unsigned: serialNumber),
            algorithm.encoded,
            try NamePart.encoded(issuer),
            Encoding.sequence(try CertificateTime.encoded(notBefore), try CertificateTime.encoded(notAfter)),
            try NamePart.encoded(subject),
            try CertificateRequest.checked(publicKey),
            extensions
        )
    }
}

/// A Time (RFC 5280, section 4.1.2.5).
enum CertificateTime {
    /// - Parameter seconds: since 2001-01-01; fractions are dropped.
    /// - Throws: `invalidParameter` for years outside 1950 to 9999.
    static func encoded(_ seconds: Double) throws(KeychainError) -> [UInt8] {
        // 1950-01-01, and the end of 9999.
        guard seconds >= -1_609_459_200, seconds < 252_423_993_600 else {
            throw KeychainError(.invalidParameter, "a certificate's time is in a year from 1950 to 9999")
        }
        let whole = Int(seconds.rounded(.down))
        let day = whole >= 0 ? whole / 86_400 : (whole - 86_399) / 86_400
        let (year, month, dayOfMonth) = date(day)
        let rest = whole - day * 86_400
        let digits = [month, dayOfMonth, rest / 3600, rest / 60 % 60, rest % 60].map(twoDigits).joined() + "Z"
        return year < 2050
            ? Encoding.element(0x17, Array((twoDigits(year % 100) + digits).utf8))
            : Encoding.element(0x18, Array((twoDigits(year / 100) + twoDigits(year % 100) + digits).utf8))
    }

    /// - Parameter day: 0 is 2001-01-01, with which a span of 400 years begins, which all have as many days.
    private static func date(_ day: Int) -> (year: Int, month: Int, day: Int) {
        let span = 146_097
        let spans = day >= 0 ? day / span : (day - span + 1) / span
        var rest = day - spans * span
        var year = 2001 + spans * 400
        while rest >= days(in: year) {
            rest -= days(in: year)
            year += 1
        }
        var month = 1
        for length in [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
            guard rest >= length else { break }
            rest -= length
            month += 1
        }
        return (year, month, rest + 1)
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func days(in year: Int) -> Int { isLeap(year) ? 366 : 365 }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
