/// keyUsage: what a certificate says that its key is for.
///
/// Source: RFC 5280 §4.2.1.3.
package struct X509KeyUsage: OptionSet, Sendable {
  package let rawValue: UInt16

  package init(rawValue: UInt16) {
    self.rawValue = rawValue
  }

  package static let digitalSignature = X509KeyUsage(rawValue: 1 << 0)
  package static let contentCommitment = X509KeyUsage(rawValue: 1 << 1)
  package static let keyCertSign = X509KeyUsage(rawValue: 1 << 5)

  /// Reads a named bit list: at least one bit, and in DER no zeros behind the last one.
  init(_ bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var reader = DERReader(bytes)
    let contents = try reader.read(.bitString).bytes
    try reader.finish()
    guard contents.count == 2 || contents.count == 3, contents[0] < 8,
      Int(contents[0]) == contents[contents.count &- 1].trailingZeroBitCount
    else { throw CryptoError(.malformedDER, "the list of usages is empty, too long or not minimal") }
    self.init(octets: contents.dropFirst())
  }

  /// Reads a named bit list of any length, as BER has it: with zeros behind the last bit, or without a bit.
  init(inAnyForm bytes: UnsafeRawBufferPointer) throws(CryptoError) {
    var reader = DERReader(bytes)
    let contents = try reader.read(.bitString).bytes
    try reader.finish()
    guard let unused = contents.first, unused < 8, unused == 0 || contents.count > 1 else {
      throw CryptoError(.malformedDER, "the list of usages is not a list of bits")
    }
    var octets = Array(contents.dropFirst())
    // What stands in unused bits is no usage.
    if let last = octets.indices.last { octets[last] &= 0xFF &<< unused }
    // Nine bits have a name.
    self.init(octets: octets.prefix(2))
  }

  /// - Parameter octets: at most two.
  private init(octets: some Collection<UInt8>) {
    var usage: UInt16 = 0
    // Bit 0 is the highest of the first octet.
    for (index, octet) in octets.enumerated() {
      for bit in 0..<8 where octet & 0x80 &>> UInt8(truncatingIfNeeded: bit) != 0 {
        usage |= 1 &<< UInt16(index &* 8 &+ bit)
      }
    }
    rawValue = usage
  }
}
