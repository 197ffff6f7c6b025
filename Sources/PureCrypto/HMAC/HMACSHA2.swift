/// HMAC over a SHA-2 function: a message authentication code with a secret key, at least as long as the digest.
///
/// A value is a code in progress. Making one hashes the key; a value made once and copied for each message spares that
/// work. Nothing is allocated.
///
/// Timing: depends on the lengths of key and message and on how the message is split, not on their bytes.
/// Source: FIPS 198-1, RFC 2104.
public struct HMACSHA2<Function: SHA2Function>: Sendable {
  /// H((K₀ ⊕ ipad) ‖ message so far). As secret as the key.
  private var inner: Function
  /// H((K₀ ⊕ opad) ‖ …), before the inner digest. As secret as the key.
  private let outer: Function

  /// Prepares a key.
  /// - Parameter key: at least as long as the digest: a shorter one would be what is guessed (RFC 2104 §3, RFC 7518
  ///   §3.2).
  /// - Throws: `.invalidKeyLength` for a shorter one.
  @inlinable
  public init(key: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(key) { key throws(CryptoError) in try HMACSHA2(checking: key) }
  }

  /// Prepares a key.
  /// - Parameter key: at least as long as the digest: a shorter one would be what is guessed (RFC 2104 §3, RFC 7518
  ///   §3.2).
  /// - Throws: `.invalidKeyLength` for a shorter one.
  @inlinable
  public init(key: SecretBytes) throws(CryptoError) {
    self = try key.withUnsafeBytes { key throws(CryptoError) in try HMACSHA2(checking: key) }
  }

  @usableFromInline
  init(checking key: UnsafeRawBufferPointer) throws(CryptoError) {
    guard key.count >= Function.digestByteCount else {
      throw CryptoError(.invalidKeyLength, "a key of HMAC is at least as long as the digest")
    }
    self.init(anyKey: key)
  }

  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  init(anyKey key: UnsafeRawBufferPointer) {
    // K₀: the key, or the digest of a key longer than a block, filled up with zeros to a block.
    var block = MessageBlock128()
    if key.count > Function.blockByteCount {
      var digest = Function.hash(key.bytes)
      withUnsafeMutableBytes(of: &digest) { bytes in
        if let start = bytes.baseAddress { block.copy(from: start, count: Function.digestByteCount, at: 0) }
        wipe(bytes)
      }
    } else if let start = key.baseAddress {
      block.copy(from: start, count: key.count, at: 0)
    }
    var inner = Function()
    var outer = Function()
    block.withMutableBytes { start in
      let block = UnsafeRawBufferPointer(start: start, count: Function.blockByteCount)
      Self.add(0x3636_3636_3636_3636, to: start)
      inner.update(block.bytes)
      Self.add(0x3636_3636_3636_3636 ^ 0x5c5c_5c5c_5c5c_5c5c, to: start)
      outer.update(block.bytes)
      wipe(UnsafeMutableRawBufferPointer(start: start, count: MemoryLayout<MessageBlock128>.size))
    }
    self.inner = inner
    self.outer = outer
  }

  /// Adds a pad to a block: 128 bytes; SHA-256 uses the first 64 only.
  @inline(__always)
  private static func add(_ pad: UInt64, to block: UnsafeMutableRawPointer) {
    for offset in stride(from: 0, to: 128, by: 8) {
      let word = block.load(fromByteOffset: offset, as: UInt64.self) ^ pad
      block.storeBytes(of: word, toByteOffset: offset, as: UInt64.self)
    }
  }

  /// Appends to the message.
  @inlinable
  public mutating func update(_ bytes: some Collection<UInt8>) {
    withContiguousBytes(bytes) { update($0) }
  }

  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  @usableFromInline
  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    inner.update(bytes.bytes)
  }

  /// The code of the message so far. The message may go on afterwards.
  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  public func finalize() -> Function.Digest {
    var outer = outer
    inner.finalize().withBytes { outer.update($0) }
    return outer.finalize()
  }

  /// Whether `tag` is the code of the message so far, in full length.
  ///
  /// Timing: depends on the length of `tag` and on whether it is right, not on where it differs.
  @inlinable
  public func isValid(_ tag: some Collection<UInt8>) -> Bool {
    withContiguousBytes(tag) { isValid($0) }
  }

  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  @usableFromInline
  func isValid(_ tag: UnsafeRawBufferPointer) -> Bool {
    finalize().withBytes { $0.withUnsafeBytes { ConstantTime.equal($0, tag) } }
  }

  /// The code of a whole message.
  ///
  /// - Parameter message: of any length, in one piece; ``update(_:)`` takes it in several.
  /// - Parameter key: at least as long as the digest.
  /// - Throws: `.invalidKeyLength` for a shorter one.
  @inlinable
  public static func authenticate(
    _ message: some Collection<UInt8>, key: some Collection<UInt8>
  ) throws(CryptoError) -> Function.Digest {
    try HMACSHA2(key: key).authenticated(message)
  }

  /// The code of a whole message.
  ///
  /// - Parameter message: of any length, in one piece; ``update(_:)`` takes it in several.
  /// - Parameter key: at least as long as the digest.
  /// - Throws: `.invalidKeyLength` for a shorter one.
  @inlinable
  public static func authenticate(
    _ message: some Collection<UInt8>, key: SecretBytes
  ) throws(CryptoError) -> Function.Digest {
    try HMACSHA2(key: key).authenticated(message)
  }

  @inlinable
  func authenticated(_ message: some Collection<UInt8>) -> Function.Digest {
    withContiguousBytes(message) { authenticated($0) }
  }

  @_specialize(where Function == SHA2.SHA256)
  @_specialize(where Function == SHA2.SHA384)
  @_specialize(where Function == SHA2.SHA512)
  @usableFromInline
  func authenticated(_ message: UnsafeRawBufferPointer) -> Function.Digest {
    var code = self
    code.update(message)
    return code.finalize()
  }
}

// Keys of any length: what derives keys by HMAC has them, AES_CBC_HMAC_SHA2 has half a digest, and so have published
// vectors.

extension HMACSHA2 {
  /// Prepares a key of any length, which the caller has checked or need not check.
  package init(anyKey key: SecretBytes) {
    self = key.withUnsafeBytes { HMACSHA2(anyKey: $0) }
  }

  /// Prepares a key of any length, which the caller has checked or need not check.
  package init(anyKey key: some Collection<UInt8>) {
    self = withContiguousBytes(key) { HMACSHA2(anyKey: $0) }
  }

  /// The code of a whole message under a key of any length, which the caller has checked or need not check.
  package static func authenticate(_ message: some Collection<UInt8>, anyKey key: SecretBytes) -> Function.Digest {
    HMACSHA2(anyKey: key).authenticated(message)
  }

  /// The code of a whole message under a key of any length, which the caller has checked or need not check.
  package static func authenticate(
    _ message: some Collection<UInt8>, anyKey key: some Collection<UInt8>
  ) -> Function.Digest {
    HMACSHA2(anyKey: key).authenticated(message)
  }
}

/// HMAC over SHA-256: `HS256`.
public typealias HMACSHA256 = HMACSHA2<SHA2.SHA256>

/// HMAC over SHA-384: `HS384`.
public typealias HMACSHA384 = HMACSHA2<SHA2.SHA384>

/// HMAC over SHA-512: `HS512`.
public typealias HMACSHA512 = HMACSHA2<SHA2.SHA512>

extension HMACSHA2: Redacted {}
