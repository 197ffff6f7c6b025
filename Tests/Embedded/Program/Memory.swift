import Builtin

/// What an Embedded program must bring along: memory. A host gives pages; blocks are cut from them.
///
/// Free blocks wait in one list for each power of two. One thread only, as WebAssembly without threads has.
private enum Heap {
  /// The first free block of each size: the size is 2 to the power of the index, header included.
  nonisolated(unsafe) private static var free: [32 of UInt] = .init(repeating: 0)
  /// Where the part of the last pages that was never given out begins and ends.
  nonisolated(unsafe) private static var fresh: Range<UInt> = 0..<0

  /// The bytes before a block: its size class and, when free, the address of the next free one.
  private static let headerByteCount: UInt = 16
  private static let pageByteCount: UInt = 65_536

  /// A block aligned to 16 bytes, or nil if the host has no more pages.
  static func allocate(_ byteCount: UInt) -> UnsafeMutableRawPointer? {
    guard byteCount < 1 << 30 else { return nil }
    let needed = byteCount + headerByteCount
    let sizeClass = max(5, UInt.bitWidth - (needed - 1).leadingZeroBitCount)
    let start: UInt
    if free[sizeClass] != 0 {
      start = free[sizeClass]
      free[sizeClass] = word(at: start + 4)
    } else {
      let size: UInt = 1 << UInt(sizeClass)
      if UInt(fresh.count) < size, !grow(by: size) { return nil }
      start = fresh.lowerBound
      fresh = (start + size)..<fresh.upperBound
      store(UInt(sizeClass), at: start)
    }
    return UnsafeMutableRawPointer(bitPattern: start + headerByteCount)
  }

  /// Puts a block back.
  static func deallocate(_ block: UnsafeMutableRawPointer) {
    let start = UInt(bitPattern: block) - headerByteCount
    let sizeClass = Int(word(at: start))
    store(free[sizeClass], at: start + 4)
    free[sizeClass] = start
  }

  /// Asks the host for whole pages. What was left of the last ones stays unused.
  private static func grow(by byteCount: UInt) -> Bool {
    let pages = (max(byteCount, 16 * pageByteCount) + pageByteCount - 1) / pageByteCount
    let first = UInt32(
      Builtin.int_wasm_memory_grow_Int32(UInt32(0)._value, UInt32(truncatingIfNeeded: pages)._value))
    guard first != .max else { return false }
    fresh = (UInt(first) * pageByteCount)..<((UInt(first) + pages) * pageByteCount)
    return true
  }

  private static func word(at address: UInt) -> UInt {
    UnsafeRawPointer(bitPattern: address)?.load(as: UInt.self) ?? 0
  }

  private static func store(_ word: UInt, at address: UInt) {
    UnsafeMutableRawPointer(bitPattern: address)?.storeBytes(of: word, as: UInt.self)
  }
}

/// The allocator that Embedded Swift calls.
@_cdecl("posix_memalign")
func allocate(
  _ block: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ alignment: UInt, _ byteCount: UInt
) -> Int32 {
  guard alignment <= 16, let memory = Heap.allocate(byteCount) else { return 12 }  // ENOMEM
  block.pointee = memory
  return 0
}

/// `free`, whose name the compiler keeps for itself: linked with `--wrap=free`.
@_cdecl("__wrap_free")
func deallocate(_ block: UnsafeMutableRawPointer?) {
  if let block { Heap.deallocate(block) }
}
