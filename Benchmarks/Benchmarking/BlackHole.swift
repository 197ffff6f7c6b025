/// Takes a result so that the compiler has to compute it.
@inlinable
@inline(__always)
package func blackHole<Value>(_ value: Value) {
  withUnsafePointer(to: value) { swallow(UnsafeRawPointer($0)) }
}

/// The address leaves for code that the caller's optimiser can't see, so what it points to must have been written.
@usableFromInline
@inline(never)
@_optimize(none)
package func swallow(_ address: UnsafeRawPointer) {}
