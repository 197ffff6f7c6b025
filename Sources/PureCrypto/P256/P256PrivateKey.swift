/// A private key on the curve P-256: an integer d with 1 ≤ d ≤ n − 1, for signatures and key agreement.
///
/// d stays in storage that is wiped when the last copy of the value goes. Descriptions and reflection show the public key
/// only.
public struct P256PrivateKey: Sendable {
  /// d, 32 bytes, most significant first.
  private let secret: SecretBytes

  /// The public key Q = d · G.
  public let publicKey: P256PublicKey

  /// Makes a new key from the system's random number generator.
  ///
  /// Timing: does not depend on the key.
  /// Source: FIPS 186-5 §A.2.2.
  public init() {
    self.init(drawing: SystemRandom.fill)
  }

  /// Makes a new key from a generator of the caller's choice. For tests.
  package init(using generator: inout some RandomNumberGenerator) {
    self.init { SystemRandom.fill($0, using: &generator) }
  }

  private init(drawing fill: (UnsafeMutableRawBufferPointer) -> Void) {
    var d = Scalar.random(drawing: fill)
    defer { wipe(&d) }
    self.init(inRange: d)
  }

  /// Reads d.
  /// - Parameter bytes: 32 bytes, most significant first.
  /// - Throws: `.invalidPrivateKey` when the length is not 32 bytes, or d is 0, n or more.
  ///
  /// Timing: does not depend on d, except for whether it is in range.
  @inlinable
  public init(rawRepresentation bytes: some Collection<UInt8>) throws(CryptoError) {
    self = try withContiguousBytes(bytes) { bytes throws(CryptoError) in try P256PrivateKey(raw: bytes) }
  }

  /// Reads d from secret storage.
  /// - Parameter bytes: 32 bytes, most significant first.
  /// - Throws: `.invalidPrivateKey` when the length is not 32 bytes, or d is 0, n or more.
  ///
  /// Timing: does not depend on d, except for whether it is in range.
  public init(rawRepresentation bytes: SecretBytes) throws(CryptoError) {
    self = try bytes.withUnsafeBytes { bytes throws(CryptoError) in try P256PrivateKey(raw: bytes) }
  }

  @usableFromInline
  init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == 32, let start = bytes.baseAddress else {
      throw CryptoError(.invalidPrivateKey, "a private key of P-256 is 32 bytes long")
    }
    var d = UInt256(bigEndian: start)
    defer { wipe(&d) }
    guard Scalar.isInRange(d).declassified else {
      throw CryptoError(.invalidPrivateKey, "the private key is not between 1 and n - 1")
    }
    self.init(inRange: d)
  }

  /// Takes d with 1 ≤ d ≤ n − 1.
  private init(inRange d: UInt256) {
    self.secret = SecretBytes(count: UInt256.byteCount) { bytes in
      if let start = bytes.baseAddress { d.storeBigEndian(to: start) }
    }
    self.publicKey = P256PublicKey(validated: JacobianPoint.baseMultiple(d).affine)
  }

  /// d, 32 bytes, most significant first.
  public var rawRepresentation: SecretBytes { secret }

  /// Calls `body` with d, and wipes this copy of it.
  func withScalar<Result>(_ body: (UInt256) -> Result) -> Result {
    secret.withUnsafeBytes { bytes in
      var d = bytes.baseAddress.map { UInt256(bigEndian: $0) } ?? .one
      defer { wipe(&d) }
      return body(d)
    }
  }
}

extension P256PrivateKey: CustomStringConvertible, CustomDebugStringConvertible {
  /// The kind of key, never d.
  public var description: String { "P256PrivateKey(redacted)" }

  /// The kind of key, never d.
  public var debugDescription: String { description }
}

#if !hasFeature(Embedded)
  extension P256PrivateKey: CustomReflectable {
    /// Nothing of d.
    public var customMirror: Mirror { Mirror(self, children: ["publicKey": publicKey]) }
  }
#endif
