import JOSE

/// Words in seeds that stand for what a run makes anew: nonces, tokens, keys. Mutation keeps most of them whole.
enum Placeholders {
  /// The octets with every placeholder replaced.
  static func filled(_ octets: [UInt8], _ values: [String: String]) -> [UInt8] {
    values.reduce(octets) { octets, entry in octets.replacing(Array(entry.key.utf8), with: Array(entry.value.utf8)) }
  }
}
