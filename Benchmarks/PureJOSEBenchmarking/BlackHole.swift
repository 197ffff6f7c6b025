/// Takes a result so that the compiler has to compute it: it knows nothing of what happens here.
@inline(never)
@_optimize(none)
public func blackHole<Value>(_ value: Value) {}
