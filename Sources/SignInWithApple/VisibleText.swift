extension String {
  /// Whether the string is 1 to `limit` visible ASCII characters, as opaque parameters must be.
  package func isVisibleASCII(upTo limit: Int) -> Bool {
    !isEmpty && utf8.count <= limit && utf8.allSatisfy { (0x21...0x7E).contains($0) }
  }
}
