/// Overwrites `buffer` with zeros, also when nothing reads the buffer afterwards.
///
/// An optimiser may drop stores that nothing reads. The address is therefore handed to ``observeStores(at:)``, which
/// the compiler has to treat as a reader of all memory. Copies that the compiler made elsewhere (registers, spill
/// slots) are out of reach; SECURITY.md says so.
package func wipe(_ buffer: UnsafeMutableRawBufferPointer) {
  guard let start = buffer.baseAddress else { return }
  #if DEBUG && !hasFeature(Embedded)
    SecretEvents.observer?.wiping(UnsafeRawBufferPointer(buffer))
  #endif
  start.initializeMemory(as: UInt8.self, repeating: 0, count: buffer.count)
  observeStores(at: start)
}

/// Overwrites a value of a trivial type in place, as ``wipe(_:)`` does.
@inline(__always)
package func wipe<Value: BitwiseCopyable>(_ value: inout Value) {
  withUnsafeMutableBytes(of: &value) { wipe($0) }
}

/// Does nothing, in a way that no optimiser can see.
///
/// Without optimisation the function is neither inlined nor analysed: both the Swift optimiser and LLVM (`optnone`)
/// must assume that it reads whatever `address` can reach, so every store before the call has to happen.
@inline(never) @_optimize(none)
private func observeStores(at address: UnsafeMutableRawPointer) {}
