/// How blocks of 1024 bytes are arranged: lanes of four segments.
///
/// Source: RFC 9106 §3.2, §3.4.
struct Argon2Layout: Sendable {
  let laneCount: Int
  /// Of blocks, at least 2.
  let segmentLength: Int
  var laneLength: Int { 4 &* segmentLength }
  var blockCount: Int { laneCount &* laneLength }

  /// - Parameter kibibyteCount: at least 8 for each lane. What is no multiple of four for each lane is left over.
  init(kibibyteCount: Int, laneCount: Int) {
    self.laneCount = laneCount
    segmentLength = kibibyteCount / (4 &* laneCount)
  }
}

/// The memory of one computation.
///
/// Timing: from the middle of the first pass on, which block is read depends on password and salt.
struct Argon2Memory {
  private let layout: Argon2Layout
  private let passCount: Int
  private let backend: Backend
  /// The blocks, lane after lane, and behind them four that are room for what is computed in between.
  private let blocks: UnsafeMutableRawBufferPointer

  init(_ layout: Argon2Layout, passCount: Int, backend: Backend) {
    (self.layout, self.passCount, self.backend) = (layout, passCount, backend)
    blocks = .allocate(byteCount: (layout.blockCount &+ 4) &* 1024, alignment: 64)
    UnsafeMutableRawBufferPointer(rebasing: blocks[(layout.blockCount &* 1024)...])
      .initializeMemory(as: UInt8.self, repeating: 0)
  }

  func wipeAndFree() {
    wipe(blocks)
    blocks.deallocate()
  }

  /// A block, of 1024 bytes; from `blockCount` on the room behind them.
  private func block(_ index: Int) -> UnsafeMutableRawBufferPointer {
    UnsafeMutableRawBufferPointer(rebasing: blocks[(index &* 1024)..<((index &+ 1) &* 1024)])
  }

  private func address(_ index: Int) -> UnsafeMutableRawPointer? { block(index).baseAddress }

  /// Makes the first two blocks of each lane.
  /// - Parameter hash: H₀, 64 bytes.
  func begin(with hash: UnsafeRawBufferPointer) {
    withUnsafeTemporaryAllocation(byteCount: 72, alignment: 8) { seed in
      seed.copyMemory(from: hash)
      for lane in 0..<layout.laneCount {
        for index in 0..<2 {
          seed.storeBytes(of: UInt32(index).littleEndian, toByteOffset: 64, as: UInt32.self)
          seed.storeBytes(of: UInt32(lane).littleEndian, toByteOffset: 68, as: UInt32.self)
          Self.longHash(block(lane &* layout.laneLength &+ index), UnsafeRawBufferPointer(seed))
        }
      }
      wipe(seed)
    }
  }

  /// H′: a hash of any length, by a chain of BLAKE2b.
  /// - Parameter result: at least 4 bytes, which are written.
  ///
  /// Source: RFC 9106 §3.3.
  static func longHash(_ result: UnsafeMutableRawBufferPointer, _ bytes: UnsafeRawBufferPointer) {
    var hash = BLAKE2b(digestByteCount: min(64, result.count))
    hash.update(result.count)
    hash.update(bytes)
    guard result.count > 64 else {
      hash.finalize(into: result)
      return wipe(&hash)
    }
    withUnsafeTemporaryAllocation(byteCount: 64, alignment: 8) { link in
      hash.finalize(into: link)
      // 32 bytes of each link, and all of the last, which is as long as what is left.
      var written = 0
      while true {
        UnsafeMutableRawBufferPointer(rebasing: result[written...])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: link[..<32]))
        written &+= 32
        let rest = result.count &- written
        hash = BLAKE2b(digestByteCount: min(64, rest))
        hash.update(UnsafeRawBufferPointer(link))
        guard rest > 64 else {
          hash.finalize(into: UnsafeMutableRawBufferPointer(rebasing: result[written...]))
          break
        }
        hash.finalize(into: link)
      }
      wipe(link)
    }
    wipe(&hash)
  }

  /// Fills all blocks, pass after pass.
  ///
  /// Source: RFC 9106 §3.2, §3.4.
  func fill() {
    for pass in 0..<passCount {
      for slice in 0..<4 {
        for lane in 0..<layout.laneCount { fill(Argon2Segment(pass: pass, slice: slice, lane: lane)) }
      }
    }
  }

  private func fill(_ segment: Argon2Segment) {
    guard let start = blocks.baseAddress, let room = address(layout.blockCount) else { return }
    let compression = Argon2Compression(scratch: room, backend: backend)
    var pseudorandom = Argon2Addresses(segment, layout, passCount: passCount, room: room + 1024)
    let first = segment.lane &* layout.laneLength
    for index in segment.firstIndex..<layout.segmentLength {
      let position = segment.slice &* layout.segmentLength &+ index
      let previous = start + (first &+ (position == 0 ? layout.laneLength : position) &- 1) &* 1024
      let number =
        segment.isDataIndependent
        ? pseudorandom.number(index, by: compression) : UInt64(littleEndian: previous.load(as: UInt64.self))
      let reference = segment.reference(at: index, number, layout)
      compression.compress(
        previous, start + reference &* 1024, into: start + (first &+ position) &* 1024, keepsOld: segment.pass > 0)
    }
  }

  /// Calls `body` with the sum of the last blocks of all lanes.
  func withSumOfLastBlocks(_ body: (UnsafeRawBufferPointer) -> Void) {
    let sum = block(layout.laneLength &- 1)
    for lane in 1..<max(1, layout.laneCount) {
      let other = block((lane &+ 1) &* layout.laneLength &- 1)
      for offset in stride(from: 0, to: 1024, by: 8) {
        let word = sum.load(fromByteOffset: offset, as: UInt64.self)
        sum.storeBytes(
          of: word ^ other.load(fromByteOffset: offset, as: UInt64.self), toByteOffset: offset, as: UInt64.self)
      }
    }
    body(UnsafeRawBufferPointer(sum))
  }
}
