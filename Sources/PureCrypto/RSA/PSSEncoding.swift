/// EMSA-PSS with MGF1 over the same hash function.
///
/// maskedDB ‖ H ‖ BC, with
///
///     DB       = 00 … 00 ‖ 01 ‖ salt
///     H        = Hash(00 × 8 ‖ digest ‖ salt)
///     maskedDB = DB ⊕ MGF1(H)
///
/// The bits beyond the modulus are zero.
///
/// Source: RFC 8017 §9.1.
enum PSSEncoding {
  /// The length of the encoding: that of a number one bit shorter than the modulus.
  static func byteCount(modulusBitCount: Int) -> Int { (modulusBitCount &+ 6) &>> 3 }

  /// The bits of the first byte that may be set.
  private static func firstByteMask(modulusBitCount: Int) -> UInt8 {
    0xff &>> UInt8(truncatingIfNeeded: 8 &* byteCount(modulusBitCount: modulusBitCount) &- (modulusBitCount &- 1))
  }

  /// Hash(00 × 8 ‖ digest ‖ salt).
  private static func hash<Function: SHA2Function>(
    _ digest: Function.Digest, salt: UnsafeRawBufferPointer, function: Function.Type
  ) -> Function.Digest {
    var hash = Function()
    withUnsafeBytes(of: UInt64(0)) { hash.update($0) }
    hash.update(digest)
    hash.update(salt)
    return hash.finalize()
  }

  /// Writes the encoding of a digest.
  /// - Parameter encoded: as long as the modulus, at least 256 bytes: room for two digests of 64 bytes and two more
  ///   bytes.
  /// - Parameter salt: at most 64 bytes.
  static func encode<Function: SHA2Function>(
    _ digest: Function.Digest, salt: UnsafeRawBufferPointer, function: Function.Type, modulusBitCount: Int,
    into encoded: UnsafeMutableRawBufferPointer
  ) {
    encoded.initializeMemory(as: UInt8.self, repeating: 0)
    // A modulus of 8k + 1 bits has a zero byte in front of the encoding.
    let encoding = UnsafeMutableRawBufferPointer(
      rebasing: encoded[(encoded.count &- byteCount(modulusBitCount: modulusBitCount))...])
    let dataCount = encoding.count &- Function.digestByteCount &- 1
    let data = UnsafeMutableRawBufferPointer(rebasing: encoding[..<dataCount])
    data[dataCount &- salt.count &- 1] = 0x01
    UnsafeMutableRawBufferPointer(rebasing: data[(dataCount &- salt.count)...]).copyMemory(from: salt)
    hash(digest, salt: salt, function: function).withUnsafeBytes { h in
      UnsafeMutableRawBufferPointer(rebasing: encoding[dataCount...]).copyMemory(from: h)
      MGF1.mask(data, seed: h, function: function)
    }
    data[0] &= firstByteMask(modulusBitCount: modulusBitCount)
    encoding[encoding.count &- 1] = 0xbc
  }

  /// Whether `encoded` is an encoding of the digest with a salt of exactly this length.
  /// - Parameter encoded: as long as the modulus, at least 256 bytes. Overwritten.
  /// - Parameter saltByteCount: at most 64. Any salt of this length is accepted.
  ///
  /// Timing: depends on everything, which is public.
  static func isValidVariableTime<Function: SHA2Function>(
    _ encoded: UnsafeMutableRawBufferPointer, digest: Function.Digest, saltByteCount: Int, function: Function.Type,
    modulusBitCount: Int
  ) -> Bool {
    let byteCount = byteCount(modulusBitCount: modulusBitCount)
    if encoded.count > byteCount, encoded[0] != 0 { return false }
    let encoding = UnsafeMutableRawBufferPointer(rebasing: encoded[(encoded.count &- byteCount)...])
    let firstByteMask = firstByteMask(modulusBitCount: modulusBitCount)
    let dataCount = byteCount &- Function.digestByteCount &- 1
    // 4, 6: the last byte, and the bits beyond the modulus.
    guard encoding[byteCount &- 1] == 0xbc, encoding[0] & ~firstByteMask == 0 else { return false }
    let data = UnsafeMutableRawBufferPointer(rebasing: encoding[..<dataCount])
    let h = UnsafeRawBufferPointer(rebasing: encoding[dataCount..<(byteCount &- 1)])
    // 7 to 9: DB.
    MGF1.mask(data, seed: h, function: function)
    data[0] &= firstByteMask
    // 10: zeros, then 01, then the salt.
    let saltStart = dataCount &- saltByteCount
    guard data[..<(saltStart &- 1)].allSatisfy({ $0 == 0 }), data[saltStart &- 1] == 0x01 else { return false }
    // 12 to 14: H.
    let salt = UnsafeRawBufferPointer(rebasing: data[saltStart...])
    return hash(digest, salt: salt, function: function).elementsEqual(h)
  }
}
