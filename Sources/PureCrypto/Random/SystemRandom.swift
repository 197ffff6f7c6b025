#if !hasFeature(Embedded)
  internal import SwiftShims
#endif

/// Random bytes from the operating system's generator.
package enum SystemRandom {
  /// Fills `buffer` with random bytes.
  package static func fill(_ buffer: UnsafeMutableRawBufferPointer) {
    #if hasFeature(Embedded)
      var generator = SystemRandomNumberGenerator()
      fill(buffer, using: &generator)
    #else
      #if DEBUG
        if let observer = SecretEvents.observer, observer.drawing(buffer) { return }
      #endif
      // The function behind `SystemRandomNumberGenerator`, asked once for the whole run instead of once per 8 bytes:
      // each question is a system call.
      guard let start = buffer.baseAddress else { return }
      swift_stdlib_random(start, buffer.count)
    #endif
  }

  /// Fills `buffer` from a generator of the caller's choice. For tests and known-answer vectors.
  package static func fill(
    _ buffer: UnsafeMutableRawBufferPointer, using generator: inout some RandomNumberGenerator
  ) {
    var offset = 0
    while offset < buffer.count {
      let word = generator.next().littleEndian
      let count = min(8, buffer.count &- offset)
      withUnsafeBytes(of: word) { bytes in
        UnsafeMutableRawBufferPointer(rebasing: buffer[offset..<(offset &+ count)])
          .copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
      }
      offset &+= count
    }
  }

  /// Makes an array of `count` random bytes. For public values such as initialization vectors and nonces.
  package static func bytes(count: Int) -> [UInt8] {
    guard count > 0 else { return [] }
    return [UInt8](unsafeUninitializedCapacity: count) { buffer, initializedCount in
      fill(UnsafeMutableRawBufferPointer(buffer))
      initializedCount = count
    }
  }
}
