extension String {
  /// Whether both strings are the same UTF-8 bytes.
  ///
  /// `==` on strings is canonical equivalence (U+212A KELVIN SIGN equals `K`), which must not decide about algorithms, issuers or keys.
  package func hasSameBytes(as other: String) -> Bool {
    utf8.elementsEqual(other.utf8)
  }

  /// This string with ASCII letters in lower case and every other scalar unchanged.
  package var asciiLowercased: String {
    String(decoding: utf8.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}

extension Sequence<String> {
  /// Whether some element is the same UTF-8 bytes as `string`.
  package func containsBytes(of string: String) -> Bool {
    contains { $0.hasSameBytes(as: string) }
  }
}
