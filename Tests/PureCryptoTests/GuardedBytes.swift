#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#elseif canImport(Android)
  import Android
#endif

/// Calls `body` with copies of the octets, each of which ends right before a page that nobody may touch: a kernel that
/// reads or writes past its input or output ends the process.
func withGuardedBytes<Result>(
  _ contents: [UInt8]..., body: ([UnsafeMutableRawBufferPointer]) throws -> Result
) rethrows -> Result {
  let areas = contents.map(GuardedArea.init)
  defer { for area in areas { area.unmap() } }
  return try body(areas.map(\.bytes))
}

private struct GuardedArea {
  private let start: UnsafeMutableRawPointer
  private let byteCount: Int
  let bytes: UnsafeMutableRawBufferPointer

  init(_ contents: [UInt8]) {
    let page = Int(getpagesize())
    let readable = (contents.count + page - 1) / page * page
    let byteCount = readable + page
    guard let start = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0),
      start != UnsafeMutableRawPointer(bitPattern: -1), mprotect(start + readable, page, PROT_NONE) == 0
    else { fatalError("no memory with a guard page") }
    self.start = start
    self.byteCount = byteCount
    bytes = UnsafeMutableRawBufferPointer(start: start + (readable - contents.count), count: contents.count)
    bytes.copyBytes(from: contents)
  }

  func unmap() { munmap(start, byteCount) }
}
