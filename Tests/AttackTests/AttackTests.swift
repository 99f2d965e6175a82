import Testing

@Suite("Attack")
struct AttackTests {}
