/// What an ECDSA signature on a prime curve is made of: r and s, each of as many bytes as n. Their range is judged at verification.
struct CurveSignature<Curve: PrimeCurve>: Sendable, Hashable {
  let r: Curve.Integer
  let s: Curve.Integer

  init(r: Curve.Integer, s: Curve.Integer) {
    self.r = r
    self.s = s
  }

  /// Reads r ‖ s.
  init(raw bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    guard bytes.count == 2 &* Curve.byteCount else {
      throw CryptoError(.malformedSignature, "a raw signature is twice as long as the curve's order")
    }
    self.r = Curve.Integer(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[..<Curve.byteCount]))
    self.s = Curve.Integer(bigEndian: UnsafeRawBufferPointer(rebasing: bytes[Curve.byteCount...]))
  }

  /// Reads a SEQUENCE of two INTEGERs in strict DER.
  init(der bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    do throws(CryptoError) {
      var outer = DERReader(bytes)
      var sequence = try outer.read(.sequence)
      try outer.finish()
      self.r = try CurveSignature.integer(&sequence)
      self.s = try CurveSignature.integer(&sequence)
      try sequence.finish()
    } catch {
      throw CryptoError(.malformedSignature, "not a DER sequence of two integers")
    }
  }

  private static func integer(_ reader: inout DERReader) throws(CryptoError) -> Curve.Integer {
    let magnitude = try reader.readUnsignedInteger()
    guard magnitude.count <= Curve.byteCount else {
      throw CryptoError(.malformedSignature, "an integer is longer than the curve's order")
    }
    return Curve.Integer(bigEndian: magnitude)
  }

  /// r ‖ s.
  var raw: [UInt8] {
    r.bigEndianBytes(count: Curve.byteCount) + s.bigEndianBytes(count: Curve.byteCount)
  }

  /// A SEQUENCE of two INTEGERs in DER.
  var der: [UInt8] {
    var writer = DERWriter(capacity: 2 &* Curve.byteCount &+ 9)
    writer.constructed(.sequence) { sequence in
      sequence.unsignedInteger(r.bigEndianBytes(count: Curve.byteCount))
      sequence.unsignedInteger(s.bigEndianBytes(count: Curve.byteCount))
    }
    return writer.bytes
  }
}
