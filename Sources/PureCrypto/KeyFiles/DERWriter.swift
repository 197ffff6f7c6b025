/// Writes DER elements one after another.
///
/// Source: X.690 §8, §10, §11.
package struct DERWriter {
  /// What has been written.
  package private(set) var bytes: [UInt8]

  /// - Parameter capacity: at least the size of the whole, so that the array never moves: for a private key that would
  ///   leave a copy behind.
  package init(capacity: Int) {
    self.bytes = []
    self.bytes.reserveCapacity(capacity)
  }

  /// Hands over a structure that holds a secret, and wipes it here.
  package mutating func takeSecret() -> SecretBytes {
    defer {
      bytes.withUnsafeMutableBytes { wipe($0) }
      bytes.removeAll(keepingCapacity: true)
    }
    return SecretBytes(copying: bytes)
  }

  /// An element with contents that are written by `body`.
  package mutating func constructed(_ tag: DERTag, _ body: (inout DERWriter) -> Void) {
    bytes.append(tag.octet)
    let start = bytes.count
    body(&self)
    bytes.insert(contentsOf: DERWriter.length(bytes.count &- start), at: start)
  }

  /// An element that is in DER already.
  package mutating func whole(_ element: some Collection<UInt8>) {
    bytes.append(contentsOf: element)
  }

  /// An element with these contents.
  package mutating func primitive(_ tag: DERTag, _ contents: some Collection<UInt8>) {
    bytes.append(tag.octet)
    bytes.append(contentsOf: DERWriter.length(contents.count))
    bytes.append(contentsOf: contents)
  }

  /// An INTEGER from its magnitude, most significant byte first, with or without leading zeros. Public values only.
  package mutating func unsignedInteger(_ magnitude: some Collection<UInt8>) {
    var contents = Array(magnitude.drop { $0 == 0 })
    if contents.first ?? 0x80 >= 0x80 { contents.insert(0, at: 0) }
    primitive(.integer, contents)
  }

  /// An INTEGER from its magnitude, which is not copied to anywhere else.
  ///
  /// Timing: depends on the number of leading zeros, which the encoding shows.
  package mutating func secretUnsignedInteger(_ magnitude: UnsafeRawBufferPointer) {
    let significant = magnitude.suffix(LimbRun.significantByteCount(magnitude).declassified)
    // The length of the encoding shows the highest bit as well.
    let isLeadingBitSet = significant.first.map { Mask(bit: UInt64($0 &>> 7)) } ?? .yes
    constructed(.integer) { integer in
      if isLeadingBitSet.declassified { integer.bytes.append(0) }
      integer.bytes.append(contentsOf: significant)
    }
  }

  /// A BIT STRING of whole bytes.
  package mutating func bitString(_ contents: some Collection<UInt8>) {
    constructed(.bitString) { string in
      string.bytes.append(0)
      string.bytes.append(contentsOf: contents)
    }
  }

  /// Writes an OBJECT IDENTIFIER, whose contents are encoded already.
  package mutating func objectIdentifier(_ identifier: DERObjectIdentifier) {
    primitive(.objectIdentifier, identifier.contents)
  }

  /// Length octets: one below 128, else their number and the length without leading zeros.
  private static func length(_ count: Int) -> [UInt8] {
    guard count >= 0x80 else { return [UInt8(truncatingIfNeeded: count)] }
    var octets: [UInt8] = []
    var remaining = count
    while remaining > 0 {
      octets.insert(UInt8(truncatingIfNeeded: remaining), at: 0)
      remaining &>>= 8
    }
    return [0x80 | UInt8(truncatingIfNeeded: octets.count)] + octets
  }
}
