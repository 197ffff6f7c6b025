import StrictJSON

extension Sequence<String> {
  /// Whether some element is the same UTF-8 bytes as `string`. `contains` on strings would compare by canonical equivalence.
  package func containsBytes(of string: String) -> Bool {
    contains { $0.hasSameBytes(as: string) }
  }
}

extension String {
  /// This string with ASCII letters in lower case and every other scalar unchanged.
  package var asciiLowercased: String {
    String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
