/// Memory for secrets: allocated once, never moved, wiped when the last reference goes.
///
/// The header is the number of bytes. The bytes stand behind it in the same allocation, so that they have one address
/// for life: a Swift array or a struct would be copied at the compiler's pleasure.
///
/// Sharing between threads: the bytes are written only inside ``make(byteCount:initializingWith:)``, before anybody
/// else holds the reference, and inside `deinit`, when no reference is left. In between they are read only.
/// `ManagedBuffer` can't be declared `Sendable`, so values that hold one say `nonisolated(unsafe)` and stand on this
/// paragraph.
package final class SecretStorage: ManagedBuffer<Int, SecretStorage.Word> {
  /// 16 bytes, to place the bytes on a 16-byte boundary.
  package typealias Word = SIMD2<UInt64>

  /// Makes zeroed storage of `byteCount` bytes and lets `initialize` fill it before anybody else sees it.
  package static func make(
    byteCount: Int, initializingWith initialize: (UnsafeMutableRawBufferPointer) -> Void
  ) -> SecretStorage {
    let wordCount = (byteCount &+ 15) &>> 4
    let buffer = SecretStorage.create(minimumCapacity: wordCount) { _ in byteCount }
    let storage = unsafeDowncast(buffer, to: SecretStorage.self)
    storage.withUnsafeMutablePointers { header, words in
      words.initialize(repeating: .zero, count: wordCount)
      initialize(UnsafeMutableRawBufferPointer(start: words, count: header.pointee))
    }
    return storage
  }

  /// The number of bytes.
  package var byteCount: Int { header }

  /// The bytes, for as long as `body` runs.
  @inline(__always)
  package func withBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try withUnsafeMutablePointers { header, words throws(Failure) in
      try body(UnsafeRawBufferPointer(start: words, count: header.pointee))
    }
  }

  deinit {
    withUnsafeMutablePointers { header, words in
      wipe(UnsafeMutableRawBufferPointer(start: words, count: header.pointee))
    }
  }
}
