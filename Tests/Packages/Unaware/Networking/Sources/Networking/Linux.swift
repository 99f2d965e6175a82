#if os(Linux)
public func trustEvaluators() -> Int { 0 }
#endif
