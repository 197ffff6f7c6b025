/// The random numbers of this process: a fixed sequence, tainted on demand.
enum Randomness {
  // Written by one thread only: the probe has no other.
  nonisolated(unsafe) static var sequence = Sequence64(state: 1)
  nonisolated(unsafe) static var isTainted = false
}

/// Stands in for the standard library's function of this name, through which the package draws all its random octets,
/// so that what is generated can be followed and computed again.
@_cdecl("swift_stdlib_random")
public func systemRandom(_ output: UnsafeMutableRawPointer, _ byteCount: Int) {
  var octets = [UInt8](repeating: 0, count: byteCount)
  for index in octets.indices { octets[index] = UInt8(truncatingIfNeeded: Randomness.sequence.next()) }
  // Nonces of AES-GCM are shorter than any secret.
  if byteCount >= 16 { FreedBlocks.watchingDraws?.watch(octets) }
  let buffer = UnsafeMutableRawBufferPointer(start: output, count: byteCount)
  if Randomness.isTainted {
    Taint.taint(buffer, as: octets)
  } else {
    buffer.copyBytes(from: octets)
  }
}
