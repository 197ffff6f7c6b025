/// Bytes that are secret: a key, a shared secret, key material.
///
/// Copies of the value share one allocation, which is overwritten when the last of them goes. Descriptions and
/// reflection show the length only. There is no `==`: compare with ``ConstantTime/equal(_:_:)`` where it is needed.
public struct SecretBytes: Sendable {
  // Read only once made: see SecretStorage on sharing between threads.
  private nonisolated(unsafe) let storage: SecretStorage

  /// Copies bytes into secret storage. The source stays as it was; wipe it if it is yours.
  ///
  /// Timing: depends on the length only.
  @inlinable
  public init(copying bytes: some Collection<UInt8>) {
    self = withContiguousBytes(bytes) { SecretBytes(copying: $0) }
  }

  @usableFromInline
  init(copying bytes: UnsafeRawBufferPointer) {
    self.init(count: bytes.count) { $0.copyMemory(from: bytes) }
  }

  /// Makes storage of `count` bytes, all zero, and lets `initialize` fill it.
  package init(count: Int, initializingWith initialize: (UnsafeMutableRawBufferPointer) -> Void) {
    self.storage = SecretStorage.make(byteCount: count, initializingWith: initialize)
  }

  /// Makes storage of `count` bytes, all zero, and lets `initialize` fill it or give up.
  package init<Failure: Error>(
    count: Int, initializingWith initialize: (UnsafeMutableRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    var failure: Failure?
    self.storage = SecretStorage.make(byteCount: count) { bytes in
      do throws(Failure) { try initialize(bytes) } catch { failure = error }
    }
    if let failure { throw failure }
  }

  /// Draws `count` bytes from the system's random number generator.
  public static func random(count: Int) -> SecretBytes {
    SecretBytes(count: count) { SystemRandom.fill($0) }
  }

  /// The number of bytes. Not treated as a secret.
  public var count: Int { storage.byteCount }

  /// Calls `body` with the bytes, without copying them. A copy that `body` makes is not wiped.
  ///
  /// - Throws: what `body` throws.
  public func withBytes<Result, Failure: Error>(
    _ body: (RawSpan) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes { bytes throws(Failure) in try body(bytes.bytes) }
  }

  /// Calls `body` with the bytes. The pointer must not leave `body`.
  @usableFromInline
  package func withUnsafeBytes<Result, Failure: Error>(
    _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try storage.withBytes(body)
  }
}

extension SecretBytes: Redacted {
  /// The length, never the bytes.
  public var description: String { "SecretBytes(\(count) bytes, redacted)" }

  #if !hasFeature(Embedded)
    /// The length, never the bytes.
    public var customMirror: Mirror { Mirror(self, children: ["count": count]) }
  #endif
}
