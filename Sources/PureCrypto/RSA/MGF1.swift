/// The mask generation function MGF1.
///
/// Source: RFC 8017 §B.2.1.
enum MGF1 {
  /// bytes ← bytes ⊕ MGF1(seed).
  /// - Parameter seed: not overlapping `bytes`.
  /// - Parameter digestByteCount: the length of what `hash` writes.
  /// - Parameter hash: writes the digest of seed ‖ counter.
  ///
  /// Timing: depends on the lengths only.
  @inline(__always)
  static func mask(
    _ bytes: UnsafeMutableRawBufferPointer, digestByteCount: Int,
    hash: (_ counter: UInt32, _ digest: UnsafeMutableRawBufferPointer) -> Void
  ) {
    withUnsafeTemporaryAllocation(byteCount: digestByteCount, alignment: 8) { digest in
      defer { wipe(digest) }
      var counter: UInt32 = 0
      var offset = 0
      while offset < bytes.count {
        hash(counter, digest)
        let count = min(digestByteCount, bytes.count &- offset)
        for position in 0..<count { bytes[offset &+ position] ^= digest[position] }
        offset &+= count
        counter &+= 1
      }
    }
  }

  /// bytes ← bytes ⊕ MGF1(seed) with a function of the SHA-2 family.
  static func mask<Function: SHA2Function>(
    _ bytes: UnsafeMutableRawBufferPointer, seed: UnsafeRawBufferPointer, function: Function.Type
  ) {
    mask(bytes, digestByteCount: Function.digestByteCount) { counter, digest in
      var hash = Function()
      hash.update(seed)
      withUnsafeBytes(of: counter.bigEndian) { hash.update($0) }
      hash.finalize().withUnsafeBytes { digest.copyMemory(from: $0) }
      wipe(&hash)
    }
  }
}
