/// SHAKE128 and SHAKE256: functions whose output is as long as it is asked for.
///
/// A value is a message in progress: copying it forks the message.
///
/// Timing: depends on the lengths of message and output and on how the message is split, not on its bytes.
/// Source: FIPS 202 §6.2.
public struct SHAKE: BitwiseCopyable, Sendable {
  private var sponge: KeccakSponge

  /// SHAKE128, with no input yet. Its security strength is 128 bits at most, however long the output.
  public static var shake128: SHAKE { SHAKE(sponge: .shake128) }

  /// SHAKE256, with no input yet. Its security strength is 256 bits at most, however long the output.
  public static var shake256: SHAKE { SHAKE(sponge: .shake256) }

  private init(sponge: KeccakSponge) { self.sponge = sponge }

  /// Appends to the message.
  @inlinable
  public mutating func update(_ bytes: some Collection<UInt8>) {
    withContiguousBytes(bytes) { update($0) }
  }

  @usableFromInline
  mutating func update(_ bytes: UnsafeRawBufferPointer) { sponge.update(bytes) }

  /// The first bytes of the output for the message so far. The message may go on afterwards.
  ///
  /// A longer output begins with the shorter one: what is to be independent needs another message.
  /// - Parameter byteCount: how many, 0 or more; a negative number counts as 0.
  public func output(byteCount: Int) -> [UInt8] { sponge.output(byteCount: max(byteCount, 0)) }
}

extension KeccakSponge {
  /// The first bytes for the message so far.
  /// - Parameter byteCount: 0 or more.
  package func output(byteCount: Int) -> [UInt8] {
    // An array of no octets is one that all threads share, and the initialiser would write its count.
    guard byteCount > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: byteCount) { bytes, initializedCount in
      finalize(into: UnsafeMutableRawBufferPointer(rebasing: UnsafeMutableRawBufferPointer(bytes)[..<byteCount]))
      initializedCount = byteCount
    }
  }

  /// Writes the first bytes for the message so far, of a message or output that is secret: the state is wiped.
  package func finalize(into bytes: UnsafeMutableRawBufferPointer) {
    var output = finalize()
    defer { wipe(&output) }
    output.read(into: bytes)
  }
}
