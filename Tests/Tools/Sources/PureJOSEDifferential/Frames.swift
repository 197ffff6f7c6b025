#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Takes a frame of requests apart. The campaign writes it, so what is cut short is a mistake there, and a trap here.
struct FrameReader {
  private var rest: UnsafeRawBufferPointer

  init(_ frame: UnsafeRawBufferPointer) { rest = frame }

  var isAtEnd: Bool { rest.isEmpty }

  mutating func octet() -> UInt8 { take(1)[0] }

  mutating func field() -> UnsafeRawBufferPointer {
    take(Int(take(4).loadUnaligned(as: UInt32.self).littleEndian))
  }

  private mutating func take(_ count: Int) -> UnsafeRawBufferPointer {
    defer { rest = UnsafeRawBufferPointer(rebasing: rest[count...]) }
    return UnsafeRawBufferPointer(rebasing: rest[..<count])
  }
}

/// A frame of answers.
struct FrameWriter {
  private(set) var octets: [UInt8] = []

  mutating func append(status: Status, _ fields: [[UInt8]]) {
    octets.append(status.rawValue)
    octets.append(UInt8(fields.count))
    for field in fields {
      withUnsafeBytes(of: UInt32(field.count).littleEndian) { octets += $0 }
      octets += field
    }
  }

  enum Status: UInt8 {
    /// The answer's fields follow.
    case done = 0
    /// The library threw a typed error.
    case refused = 1
    /// There is no such command, or it was given something else than it takes.
    case misunderstood = 2
  }
}

/// Whole frames over standard input and output, each after its length of 32 bits.
enum Frames {
  /// The next frame of requests, or nil at the end.
  static func next() -> [UInt8]? {
    guard let header = octets(count: 4) else { return nil }
    return octets(count: Int(header.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self).littleEndian }))
  }

  static func send(_ frame: [UInt8]) {
    var octets = [UInt8]()
    withUnsafeBytes(of: UInt32(frame.count).littleEndian) { octets += $0 }
    octets += frame
    octets.withUnsafeBytes { octets in
      var rest = octets
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = write(1, start, rest.count)
        guard count > 0 else { return }
        rest = UnsafeRawBufferPointer(rebasing: rest[count...])
      }
    }
  }

  private static func octets(count: Int) -> [UInt8]? {
    var octets = [UInt8](repeating: 0, count: count)
    let isComplete = octets.withUnsafeMutableBytes { octets in
      var rest = octets
      while let start = rest.baseAddress, !rest.isEmpty {
        let count = read(0, start, rest.count)
        guard count > 0 else { return false }
        rest = UnsafeMutableRawBufferPointer(rebasing: rest[count...])
      }
      return true
    }
    return isComplete ? octets : nil
  }
}
