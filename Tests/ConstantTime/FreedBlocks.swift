// Preloaded into a program by `Tests/ConstantTime/residue`: looks into every block of memory at the moment at which
// it is given back, for secrets that the program named. Nothing here may allocate, since it is what allocations go
// through. The linker gives `watchedFree` and its kin the names `free` and so on. No target holds this file.

@_extern(c, "__libc_malloc") func systemMalloc(_ byteCount: Int) -> UnsafeMutableRawPointer?
@_extern(c, "__libc_calloc") func systemCalloc(_ count: Int, _ byteCount: Int) -> UnsafeMutableRawPointer?
@_extern(c, "__libc_memalign") func systemMemalign(_ alignment: Int, _ byteCount: Int) -> UnsafeMutableRawPointer?
@_extern(c, "__libc_free") func systemFree(_ block: UnsafeMutableRawPointer?)
@_extern(c, "malloc_usable_size") func usableByteCount(_ block: UnsafeMutableRawPointer?) -> Int
@_extern(c, "backtrace") func backtrace(_ frames: UnsafeMutablePointer<Int>, _ count: Int32) -> Int32
@_extern(c, "write") func write(_ descriptor: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int

/// Where reports go: a descriptor that whoever starts the program has opened.
let report: Int32 = 100
let windowByteCount = 16
let frameCount = 32
let slotCount = 1 << 18
let blockCount = 1 << 16

/// A place of one of the secrets: its first eight octets and where the rest is.
struct Window {
  var word: UInt64 = 0
  var place: UnsafeRawPointer?
  /// Whether it is text of a secret.
  var isText = false
}

nonisolated(unsafe) var windows: UnsafeMutablePointer<Window>?
nonisolated(unsafe) var windowCount = 0
/// For each slot the block that was noted last, and behind it the return addresses of whoever asked for it.
nonisolated(unsafe) var blocks: UnsafeMutablePointer<Int>?
nonisolated(unsafe) var isWatching = false
nonisolated(unsafe) var isBusy = false

func slot(of word: UInt64, _ count: Int) -> Int {
  Int(truncatingIfNeeded: (word &* 0x9E37_79B9_7F4A_7C15) >> 40) & (count - 1)
}

/// Forgets all secrets, and looks for none until the next is named.
@_cdecl("forgetSecrets")
public func forgetSecrets() {
  isWatching = false
  windowCount = 0
  guard let windows else { return }
  for index in 0..<slotCount { windows[index] = Window() }
}

/// Looks for any sixteen octets of a secret from now on, unless they are too regular to be told from others. It must
/// stay where it is.
@_cdecl("watchSecret")
public func watchSecret(_ secret: UnsafeRawPointer, _ count: Int, _ isText: Bool) {
  isBusy = true
  defer { isBusy = false }
  if windows == nil {
    windows = systemCalloc(slotCount, MemoryLayout<Window>.stride)?.bindMemory(to: Window.self, capacity: slotCount)
    blocks = systemCalloc(blockCount, 8 * (frameCount + 1))?.bindMemory(
      to: Int.self, capacity: blockCount * (frameCount + 1))
    // The first call loads what it needs.
    withUnsafeTemporaryAllocation(of: Int.self, capacity: frameCount) { frames in
      _ = backtrace(frames.baseAddress.unsafelyUnwrapped, 1)
    }
  }
  guard let windows, count >= windowByteCount else { return }
  for start in 0...(count - windowByteCount) where windowCount < slotCount / 2 {
    let place = secret + start
    guard isIrregular(place) else { continue }
    let word = place.loadUnaligned(as: UInt64.self)
    var index = slot(of: word, slotCount)
    while windows[index].place != nil { index = (index + 1) & (slotCount - 1) }
    windows[index] = Window(word: word, place: place, isText: isText)
    windowCount += 1
  }
  isWatching = true
}

/// Whether sixteen octets have ten different values or more.
func isIrregular(_ place: UnsafeRawPointer) -> Bool {
  var different = 0
  for index in 0..<windowByteCount {
    var isNew = true
    for earlier in 0..<index
    where place.load(fromByteOffset: earlier, as: UInt8.self)
      == place.load(fromByteOffset: index, as: UInt8.self)
    { isNew = false }
    if isNew { different += 1 }
  }
  return different >= 10
}

/// Notes who asked for a block.
func note(_ block: UnsafeMutableRawPointer?) {
  guard isWatching, !isBusy, let block, let blocks else { return }
  isBusy = true
  let entry = blocks + slot(of: UInt64(UInt(bitPattern: block)), blockCount) * (frameCount + 1)
  entry[0] = Int(bitPattern: block)
  let count = Int(backtrace(entry + 1, Int32(frameCount)))
  for index in count..<frameCount { entry[1 + index] = 0 }
  isBusy = false
}

/// Reports a block that holds part of a secret, and who asked for it. Clears every block, so that none is reported
/// for what was there before.
func inspect(_ block: UnsafeMutableRawPointer) {
  let count = usableByteCount(block)
  if isWatching, !isBusy, count >= windowByteCount, let windows {
    isBusy = true
    var start = 0
    while start <= count - windowByteCount {
      let word = block.loadUnaligned(fromByteOffset: start, as: UInt64.self)
      var index = slot(of: word, slotCount)
      while let place = windows[index].place {
        if windows[index].word == word,
          block.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
            == place.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        {
          print(block, isText: windows[index].isText)
          start = count
          break
        }
        index = (index + 1) & (slotCount - 1)
      }
      start += 1
    }
    if let blocks {
      blocks[slot(of: UInt64(UInt(bitPattern: block)), blockCount) * (frameCount + 1)] = 0
    }
    isBusy = false
  }
  block.initializeMemory(as: UInt8.self, repeating: 0, count: count)
}

/// One line: 1 for text, and the return addresses, if the block is known.
func print(_ block: UnsafeMutableRawPointer, isText: Bool) {
  withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 17 * (frameCount + 2)) { line in
    var count = 0
    func add(_ number: Int) {
      for shift in stride(from: 60, through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: UInt(bitPattern: number) >> UInt(shift)) & 15
        line[count] = digit < 10 ? 0x30 + digit : 0x57 + digit
        count += 1
      }
      line[count] = 0x20
      count += 1
    }
    add(isText ? 1 : 0)
    if let blocks {
      let entry = blocks + slot(of: UInt64(UInt(bitPattern: block)), blockCount) * (frameCount + 1)
      if entry[0] == Int(bitPattern: block) {
        for index in 0..<frameCount where entry[1 + index] != 0 { add(entry[1 + index]) }
      }
    }
    line[count - 1] = 0x0A
    _ = write(report, line.baseAddress.unsafelyUnwrapped, count)
  }
}

/// In place of `malloc`.
@_cdecl("watchedMalloc")
public func watchedMalloc(_ byteCount: Int) -> UnsafeMutableRawPointer? {
  let block = systemMalloc(byteCount)
  note(block)
  return block
}

/// In place of `calloc`.
@_cdecl("watchedCalloc")
public func watchedCalloc(_ count: Int, _ byteCount: Int) -> UnsafeMutableRawPointer? {
  let block = systemCalloc(count, byteCount)
  note(block)
  return block
}

/// In place of `memalign`.
@_cdecl("watchedMemalign")
public func watchedMemalign(_ alignment: Int, _ byteCount: Int) -> UnsafeMutableRawPointer? {
  let block = systemMemalign(alignment, byteCount)
  note(block)
  return block
}

/// In place of `aligned_alloc`.
@_cdecl("watchedAlignedAlloc")
public func watchedAlignedAlloc(_ alignment: Int, _ byteCount: Int) -> UnsafeMutableRawPointer? {
  watchedMemalign(alignment, byteCount)
}

/// In place of `posix_memalign`.
@_cdecl("watchedPosixMemalign")
public func watchedPosixMemalign(
  _ result: UnsafeMutablePointer<UnsafeMutableRawPointer?>, _ alignment: Int, _ byteCount: Int
) -> Int32 {
  result.pointee = watchedMemalign(alignment, byteCount)
  return result.pointee == nil ? 12 : 0
}

/// Always to another place, so that the old one is looked into.
@_cdecl("watchedRealloc")
public func watchedRealloc(_ block: UnsafeMutableRawPointer?, _ byteCount: Int) -> UnsafeMutableRawPointer? {
  guard let moved = watchedMalloc(byteCount) else { return nil }
  if let block {
    moved.copyMemory(from: block, byteCount: min(byteCount, usableByteCount(block)))
    watchedFree(block)
  }
  return moved
}

/// In place of `free`.
@_cdecl("watchedFree")
public func watchedFree(_ block: UnsafeMutableRawPointer?) {
  guard let block else { return }
  inspect(block)
  systemFree(block)
}
