import Testing

@Suite("CodeSignature")
struct CodeSignatureTests {}
