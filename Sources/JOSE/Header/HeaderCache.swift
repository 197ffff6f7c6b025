/// Headers of tokens that were verified lately, by their text: an issuer's tokens share a few headers, which need not
/// be parsed anew.
///
/// Only headers of verified tokens enter, so a stranger can't fill the cache.
typealias HeaderCache = RecentlyUsed<[UInt8], ProtectedHeader>

extension HeaderCache {
  static var headerCapacity: Int { 8 }
  /// Longer headers are not kept.
  static var textByteCount: Int { 1024 }

  convenience init() {
    self.init(capacity: Self.headerCapacity)
  }

  /// The header with exactly this text, if it is known.
  func header(for text: UnsafeRawBufferPointer) -> ProtectedHeader? {
    value { unsafe $0.withUnsafeBytes { unsafe $0.hasSameOctets(as: text) } }
  }

  /// Keeps the header of a verified token.
  func insert(_ header: ProtectedHeader, for text: UnsafeRawBufferPointer) {
    guard text.count <= Self.textByteCount, unsafe self.header(for: text) == nil else { return }
    unsafe insert(header, for: Array(text))
  }
}
