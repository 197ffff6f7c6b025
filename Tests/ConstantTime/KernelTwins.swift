// What a kernel must not do, compiled by the check of the kernels' machine code, which must notice each. No target
// holds this file.

/// As a kernel for AES-GCM once chose its path: by the low bits of a counter that came out of GHASH.
package func twinThatComparesCounter(counterBlock: SIMD2<Int64>, output: UnsafeMutableRawPointer, count: Int) {
  var counter = counterBlock
  counter &+= SIMD2(1, 0)
  if counter[0] & 31 == 18 {
    for offset in 0..<count { output.storeBytes(of: 0, toByteOffset: offset, as: UInt8.self) }
  }
}

package func twinThatStopsAtFirstDifference(lhs: UnsafeRawPointer, rhs: UnsafeRawPointer, count: Int) -> Int {
  var place = 0
  while place < count,
    lhs.load(fromByteOffset: place, as: UInt8.self) == rhs.load(fromByteOffset: place, as: UInt8.self)
  {
    place &+= 1
  }
  return place
}

/// No branch differs, but the addresses do.
package func twinThatLooksUp(octets: UnsafeMutableRawPointer, table: UnsafeRawPointer, count: Int) {
  for place in 0..<count {
    let octet = octets.load(fromByteOffset: place, as: UInt8.self)
    octets.storeBytes(of: table.load(fromByteOffset: Int(octet), as: UInt8.self), toByteOffset: place, as: UInt8.self)
  }
}

package func twinThatDivides(octets: UnsafeMutableRawPointer, divisor: UInt32) {
  guard divisor != 0 else { return }
  octets.storeBytes(of: octets.load(as: UInt32.self) / divisor, as: UInt32.self)
}
