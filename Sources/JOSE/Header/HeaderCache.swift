import Synchronization

/// Headers of tokens that were verified lately, by their text: an issuer's tokens share a few headers, which need not be parsed anew.
///
/// Only headers of verified tokens enter, so a stranger can't fill the cache. At most ``capacity`` headers of ``textByteCount`` characters
/// each are kept; the one that was not met for longest makes room.
final class HeaderCache: Sendable {
  private struct Entry: Sendable {
    let text: [UInt8]
    let header: ProtectedHeader
  }

  static let capacity = 8
  static let textByteCount = 1024

  /// The most recently met last.
  private let entries = Mutex<[Entry]>([])

  /// The header with exactly this text, if it is known.
  func header(for text: UnsafeRawBufferPointer) -> ProtectedHeader? {
    entries.withLock { entries in
      guard let place = entries.lastIndex(where: { $0.text.elementsEqual(text) }) else { return nil }
      if place != entries.count - 1 { entries.append(entries.remove(at: place)) }
      return entries[entries.count - 1].header
    }
  }

  /// Keeps the header of a verified token.
  func insert(_ header: ProtectedHeader, for text: UnsafeRawBufferPointer) {
    guard text.count <= Self.textByteCount else { return }
    entries.withLock { entries in
      guard !entries.contains(where: { $0.text.elementsEqual(text) }) else { return }
      if entries.count == Self.capacity { entries.removeFirst() }
      entries.append(Entry(text: Array(text), header: header))
    }
  }

  /// How many headers are kept.
  var count: Int { entries.withLock { $0.count } }
}
