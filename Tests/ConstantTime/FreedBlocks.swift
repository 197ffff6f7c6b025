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
let reports: Int32 = 100
let windowByteCount = 16
/// So many different octets of sixteen look drawn at random: more than lengths have, and what a word at random has.
let irregularCount = 8
/// The highest octets of addresses: of a program, its heap, libraries and the stack.
func isAddress(_ word: UInt64) -> Bool { word &>> 40 == 0x55 || word &>> 40 == 0x7F }
/// So many turns between octets of zeros and of ones among sixteen are more than masks of public numbers have.
let turnCount = 5
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
/// How often each octet stands in the sixteen that are looked at.
nonisolated(unsafe) var octetCounts: UnsafeMutablePointer<UInt8>?
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
    octetCounts = systemCalloc(256, 1)?.bindMemory(to: UInt8.self, capacity: 256)
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

/// Whether sixteen octets look drawn at random.
func isIrregular(_ place: UnsafeRawPointer) -> Bool {
  hasIrregular(windowByteCount) { place.load(fromByteOffset: $0, as: UInt8.self) }
}

/// Whether any sixteen octets of these look drawn at random. Addresses do, and are passed over.
func hasIrregular(_ block: UnsafeRawPointer, _ count: Int) -> Bool {
  hasIrregular(count) { index in
    let word = block.load(fromByteOffset: index & ~7, as: UInt64.self)
    return isAddress(word) ? 0 : block.load(fromByteOffset: index, as: UInt8.self)
  }
}

@inline(__always)
func hasIrregular(_ count: Int, _ octet: (Int) -> UInt8) -> Bool {
  guard let octetCounts else { return false }
  for octet in 0..<256 { octetCounts[octet] = 0 }
  var different = 0
  for index in 0..<count {
    let new = Int(octet(index))
    octetCounts[new] += 1
    if octetCounts[new] == 1 { different += 1 }
    if index >= windowByteCount {
      let old = Int(octet(index - windowByteCount))
      octetCounts[old] -= 1
      if octetCounts[old] == 0 { different -= 1 }
    }
    if different >= irregularCount { return true }
  }
  return false
}

/// Whether sixteen octets of these are all ones or zeros by turns, as bits of round keys are that stand by themselves.
func hasSlices(_ place: UnsafeRawPointer, _ count: Int) -> Bool {
  var turns = 0
  func isTurn(_ index: Int) -> Bool {
    let first = place.load(fromByteOffset: index, as: UInt8.self)
    return (first == 0 || first == 0xFF) && first ^ place.load(fromByteOffset: index + 1, as: UInt8.self) == 0xFF
  }
  for index in 0..<(count - 1) {
    if isTurn(index) { turns += 1 }
    if index >= windowByteCount - 1, isTurn(index - windowByteCount + 1) { turns -= 1 }
    if turns >= turnCount { return true }
  }
  return false
}

/// Notes who asked for a block, and clears it: headers that the allocator left there, of blocks that it has joined
/// since, are no address and no secret, and may look drawn at random.
func note(_ block: UnsafeMutableRawPointer?) {
  guard isWatching, !isBusy, let block, let blocks else { return }
  block.initializeMemory(as: UInt8.self, repeating: 0, count: usableByteCount(block))
  isBusy = true
  let entry = blocks + slot(of: UInt64(UInt(bitPattern: block)), blockCount) * (frameCount + 1)
  entry[0] = Int(bitPattern: block)
  let count = Int(backtrace(entry + 1, Int32(frameCount)))
  for index in count..<frameCount { entry[1 + index] = 0 }
  isBusy = false
}

/// Reports a block that holds part of a secret, or anything that looks drawn at random, and who asked for it. Clears
/// every block, so that none is reported for what was there before.
func inspect(_ block: UnsafeMutableRawPointer) {
  let count = usableByteCount(block)
  if isWatching, !isBusy, count >= windowByteCount {
    isBusy = true
    if let window = secret(in: block, count) {
      report(block, window.isText ? .text : .octets)
    } else if frames(of: block) != nil, hasIrregular(block, count) || hasSlices(block, count) {
      report(block, .remains)
    }
    isBusy = false
  }
  // Also while nothing is watched: who is given the place next, and is not noted, would be taken for who had it.
  if let blocks { blocks[slot(of: UInt64(UInt(bitPattern: block)), blockCount) * (frameCount + 1)] = 0 }
  block.initializeMemory(as: UInt8.self, repeating: 0, count: count)
}

/// The first sixteen octets of a secret in a block.
func secret(in block: UnsafeMutableRawPointer, _ count: Int) -> Window? {
  guard let windows else { return nil }
  for start in 0...(count - windowByteCount) {
    let word = block.loadUnaligned(fromByteOffset: start, as: UInt64.self)
    var index = slot(of: word, slotCount)
    while let place = windows[index].place {
      if windows[index].word == word,
        block.loadUnaligned(fromByteOffset: start + 8, as: UInt64.self)
          == place.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
      {
        return windows[index]
      }
      index = (index + 1) & (slotCount - 1)
    }
  }
  return nil
}

/// What a block held.
enum Contents: Int {
  case octets, text, remains
}

/// The return addresses of whoever asked for a block, if that was noted.
func frames(of block: UnsafeMutableRawPointer) -> UnsafeMutablePointer<Int>? {
  guard let blocks else { return nil }
  let entry = blocks + slot(of: UInt64(UInt(bitPattern: block)), blockCount) * (frameCount + 1)
  return entry[0] == Int(bitPattern: block) ? entry + 1 : nil
}

/// One line: what the block held, and the return addresses, if they are known.
func report(_ block: UnsafeMutableRawPointer, _ contents: Contents) {
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
    add(contents.rawValue)
    if let frames = frames(of: block) {
      for index in 0..<frameCount where frames[index] != 0 { add(frames[index]) }
    }
    line[count - 1] = 0x0A
    _ = write(reports, line.baseAddress.unsafelyUnwrapped, count)
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
