import JOSE

/// Signs any text, legal or not, with a key's own arithmetic: for tokens that no correct sender would make.
enum RawSignature {
  static func make(_ signingInput: String, with key: SigningKey) throws -> [UInt8] {
    try key.signature(for: Array(signingInput.utf8))
  }
}
