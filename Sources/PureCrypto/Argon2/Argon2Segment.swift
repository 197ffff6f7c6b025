/// A quarter of a lane in one pass.
struct Argon2Segment: Sendable {
  let pass: Int
  /// 0 … 3.
  let slice: Int
  let lane: Int

  /// Whether addresses come from a counter, and not from blocks: in the first half of the first pass.
  var isDataIndependent: Bool { pass == 0 && slice < 2 }

  /// The first block that is filled: two of each lane are there at the beginning.
  var firstIndex: Int { pass == 0 && slice == 0 ? 2 : 0 }

  /// The block that the next one refers to, among all lanes' blocks.
  /// - Parameter index: of the next block in the segment.
  /// - Parameter number: J₁ in the lower half, J₂ in the upper.
  ///
  /// Blocks that are newer are taken more often: of a window of w blocks, number w − 1 − ⌊w J₁² / 2⁶⁴⌋.
  ///
  /// Source: RFC 9106 §3.4.1.2, §3.4.2.
  func reference(at index: Int, _ number: UInt64, _ layout: Argon2Layout) -> Int {
    var lane = lane
    if layout.laneCount > 1, pass > 0 || slice > 0 {
      // The block that this names is read next.
      lane = Int(declassified(number &>> 32, bitCount: 32) % UInt64(layout.laneCount))
    }
    let length = layout.segmentLength
    // What has been filled in the other segments; in the first pass those before this one.
    let others = pass == 0 ? slice &* length : 3 &* length
    // Of the own lane also this segment, but not the block before the next one; of others not the last of a segment
    // that may still be in the making.
    let window = lane == self.lane ? others &+ index &- 1 : index == 0 ? others &- 1 : others
    let j1 = number & 0xffff_ffff
    let x = (j1 &* j1) &>> 32
    let y = (UInt64(window) &* x) &>> 32
    // Less than the window, whose length has at most 32 bits.
    let offset = window &- 1 &- Int(truncatingIfNeeded: y)
    let bitCount = UInt64(64 &- window.leadingZeroBitCount)
    let known = Int(declassified(UInt64(truncatingIfNeeded: offset), bitCount: bitCount))
    // The window begins behind this slice, where the oldest blocks are.
    let first = pass == 0 || slice == 3 ? 0 : (slice &+ 1) &* length
    let position = first &+ known
    return lane &* layout.laneLength &+ (position < layout.laneLength ? position : position &- layout.laneLength)
  }
}

/// The pseudorandom numbers of a segment whose addresses depend on no data.
///
/// Source: RFC 9106 §3.4.1.2.
struct Argon2Addresses {
  /// Three blocks: zeros, a counter with what it belongs to, and 128 numbers.
  private let room: UnsafeMutableRawPointer
  private var blockCount: UInt64 = 0

  init(_ segment: Argon2Segment, _ layout: Argon2Layout, passCount: Int, room: UnsafeMutableRawPointer) {
    self.room = room
    let numbers = [segment.pass, segment.lane, segment.slice, layout.blockCount, passCount, 2]
    for (index, number) in numbers.enumerated() {
      room.storeBytes(of: UInt64(number).littleEndian, toByteOffset: 1024 &+ 8 &* index, as: UInt64.self)
    }
  }

  /// The number for the next block, whose index is one more than the last time, or the segment's first.
  mutating func number(_ index: Int, by compression: Argon2Compression) -> UInt64 {
    if blockCount == 0 || index & 127 == 0 {
      blockCount &+= 1
      room.storeBytes(of: blockCount.littleEndian, toByteOffset: 1024 &+ 48, as: UInt64.self)
      compression.compress(room, room + 1024, into: room + 2048, keepsOld: false)
      compression.compress(room, room + 2048, into: room + 2048, keepsOld: false)
    }
    return UInt64(littleEndian: room.load(fromByteOffset: 2048 &+ 8 &* (index & 127), as: UInt64.self))
  }
}
