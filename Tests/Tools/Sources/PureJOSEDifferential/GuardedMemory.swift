#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Room for the fields of a request, each between two pages that nobody may read: what is read beyond a field ends the
/// process.
struct GuardedMemory {
  /// Which of the two pages a field touches.
  enum Side: UInt8 {
    case end = 0
    case start = 1
  }

  static let roomByteCount = 1 << 18
  static let roomCount = 12

  private let rooms: [UnsafeMutableRawPointer]

  /// Lives as long as the process.
  init() {
    let page = Int(getpagesize())
    rooms = (0..<Self.roomCount).map { _ in
      let count = Self.roomByteCount + 2 * page
      guard
        let memory = mmap(nil, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANON, -1, 0), memory != MAP_FAILED,
        mprotect(memory, page, PROT_NONE) == 0, mprotect(memory + page + Self.roomByteCount, page, PROT_NONE) == 0
      else { fatalError("no memory with guard pages") }
      return memory + page
    }
  }

  /// Copies a field into a room of its own.
  func place(_ field: UnsafeRawBufferPointer, in room: Int, touching side: Side) -> UnsafeMutableRawBufferPointer {
    let placed = empty(count: field.count, in: room, touching: side)
    placed.copyMemory(from: field)
    return placed
  }

  /// A room for as many octets of output.
  func empty(count: Int, in room: Int, touching side: Side) -> UnsafeMutableRawBufferPointer {
    guard count <= Self.roomByteCount else { fatalError("a field is longer than its room") }
    let offset = side == .end ? Self.roomByteCount - count : 0
    return UnsafeMutableRawBufferPointer(start: rooms[room] + offset, count: count)
  }
}
