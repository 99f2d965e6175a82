import Testing

@Suite("ChatelaineTool")
struct ChatelaineToolTests {}
