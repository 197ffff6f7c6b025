/// Argon2id: a key from a password, made slow by memory that has to be filled.
///
/// Timing: depends on lengths and costs, and, from the middle of the first pass on, addresses depend on password and
/// salt: that is the algorithm's own, which makes guessing with little memory expensive. Who sees which memory a
/// computation reads can test guesses without filling memory beyond the first half of that pass. Up to there,
/// addresses depend on costs alone.
/// Source: RFC 9106.
public enum Argon2id {
  /// Derives a key.
  /// - Parameter password: its octets. Secret.
  /// - Parameter salt: public, at least 8 octets; 16 random ones are usual.
  /// - Parameter kibibyteCount: how much memory is filled, at least 8 for each lane. The caller bounds it.
  /// - Parameter passCount: how often it is filled, at least 1. The caller bounds it.
  /// - Parameter laneCount: what others may compute side by side; here lanes take their turn. At least 1.
  /// - Parameter byteCount: 4 to 1024.
  /// - Throws: `.invalidKeyLength` if a number is out of range.
  ///
  /// The defaults are a server's for passwords of users: 19 MiB, twice.
  /// Source: RFC 9106 §3.
  public static func deriveKey(
    password: SecretBytes, salt: some Collection<UInt8>, kibibyteCount: Int = 19_456, passCount: Int = 2,
    laneCount: Int = 1, byteCount: Int = 32
  ) throws(CryptoError) -> SecretBytes {
    try withContiguousBytes(salt) { salt throws(CryptoError) in
      try deriveKey(
        Inputs(password: password, salt: salt), kibibyteCount: kibibyteCount, passCount: passCount,
        laneCount: laneCount, byteCount: byteCount)
    }
  }

  /// What is hashed into the first blocks.
  struct Inputs {
    let password: SecretBytes
    let salt: UnsafeRawBufferPointer
    /// A key beside the password, and data that belongs to it. Nothing but the vectors has them.
    var secret = SecretBytes(copying: [])
    var associatedData: [UInt8] = []
  }

  static func deriveKey(
    _ inputs: Inputs, kibibyteCount: Int, passCount: Int, laneCount: Int, byteCount: Int,
    on backend: Backend = .preferred
  ) throws(CryptoError) -> SecretBytes {
    guard (4...1024).contains(byteCount), inputs.salt.count >= 8 else {
      throw CryptoError(.invalidKeyLength, "Argon2id needs a salt of at least 8 bytes, and gives 4 to 1024 bytes")
    }
    // Far above what any server has, 64 GiB, and as much as an Int can count in bytes with the room behind the blocks.
    let maximumKibibyteCount = min(1 << 26, Int.max &>> 10 &- 4)
    guard (1...1 << 20).contains(passCount), (1...1 << 10).contains(laneCount),
      (8 &* laneCount...maximumKibibyteCount).contains(kibibyteCount)
    else {
      throw CryptoError(
        .invalidKeyLength, "Argon2id needs a pass, a lane, and 8 KiB for each lane; one of these is out of range")
    }
    let layout = Argon2Layout(kibibyteCount: kibibyteCount, laneCount: laneCount)
    let memory = Argon2Memory(layout, passCount: passCount, backend: backend)
    defer { memory.wipeAndFree() }
    // H₀ = H(p, T, m, t, v, y, then password, salt, secret and data, each behind its length)
    var hash = BLAKE2b(digestByteCount: 64)
    for number in [laneCount, byteCount, kibibyteCount, passCount, 0x13, 2] { hash.update(number) }
    inputs.password.withUnsafeBytes { append($0, to: &hash) }
    append(inputs.salt, to: &hash)
    inputs.secret.withUnsafeBytes { append($0, to: &hash) }
    inputs.associatedData.withUnsafeBytes { append($0, to: &hash) }
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { first in
      hash.finalize(into: first)
      memory.begin(with: UnsafeRawBufferPointer(first))
      wipe(first)
    }
    wipe(&hash)
    memory.fill()
    return SecretBytes(count: byteCount) { key in
      memory.withSumOfLastBlocks { Argon2Memory.longHash(key, $0) }
    }
  }

  private static func append(_ bytes: UnsafeRawBufferPointer, to hash: inout BLAKE2b) {
    hash.update(bytes.count)
    hash.update(bytes)
  }
}
