import PureCrypto

extension String {
  /// The words of a list as OAuth writes one, between spaces: scopes, prompts, locales.
  ///
  /// Source: RFC 6749 §3.3.
  package var words: [String] { utf8.split(separator: 0x20).map { String(Substring($0)) } }
}

extension [String] {
  /// Each text once, compared as bytes, in the order of the first ones.
  package var distinct: [String] {
    var seen: Set<[UInt8]> = []
    return filter { seen.insert([UInt8]($0.utf8)).inserted }
  }
}
