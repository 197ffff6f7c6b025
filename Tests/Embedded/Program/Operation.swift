import PureCrypto

/// One line of input: a name and its arguments in hexadecimal, `-` for an empty one. The answer is a line in
/// hexadecimal, or `refused` where the operation throws.
struct Operation {
  let name: [UInt8]
  let arguments: [[UInt8]]

  /// Reads a line, or returns nil if it isn't one.
  init?(_ line: ArraySlice<UInt8>) {
    let words = line.split(separator: UInt8(ascii: " "))
    guard let first = words.first else { return nil }
    name = Array(first)
    var arguments: [[UInt8]] = []
    for word in words.dropFirst() {
      guard let argument = Hex.decode(word) else { return nil }
      arguments.append(argument)
    }
    self.arguments = arguments
  }

  /// What came of an operation.
  enum Result {
    case octets([UInt8])
    case refused
    case unknown
  }

  /// The answer, or nil if there is no such operation.
  func answer() -> [UInt8]? { Self.answer(result()) }

  /// A result as a line, or nil if there was no such operation.
  static func answer(_ result: Result) -> [UInt8]? {
    switch result {
    case .octets(let octets): octets.isEmpty ? Array("-".utf8) : Hex.encode(octets)
    case .refused: Array("refused".utf8)
    case .unknown: nil
    }
  }

  /// Runs the operation.
  func result() -> Result {
    do throws(CryptoError) {
      guard let octets = try run() else { return .unknown }
      return .octets(octets)
    } catch {
      return .refused
    }
  }

  /// Whether this is the operation of that name with that many arguments.
  func isNamed(_ text: StaticString, _ argumentCount: Int) -> Bool {
    name.elementsEqual(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
      && arguments.count == argumentCount
  }

  /// Whether this is the operation whose name is these two, joined by a hyphen.
  func isNamed(_ first: StaticString, _ second: StaticString, _ argumentCount: Int) -> Bool {
    let count = first.utf8CodeUnitCount
    return arguments.count == argumentCount && name.count == count + 1 + second.utf8CodeUnitCount
      && name[count] == UInt8(ascii: "-")
      && name[..<count].elementsEqual(UnsafeBufferPointer(start: first.utf8Start, count: count))
      && name[(count + 1)...].elementsEqual(
        UnsafeBufferPointer(start: second.utf8Start, count: second.utf8CodeUnitCount))
  }

  private func run() throws(CryptoError) -> [UInt8]? {
    if isNamed("sha256", 1) { return Array(SHA2.SHA256.hash(arguments[0])) }
    if isNamed("sha384", 1) { return Array(SHA2.SHA384.hash(arguments[0])) }
    if isNamed("sha512", 1) { return Array(SHA2.SHA512.hash(arguments[0])) }
    if isNamed("gcm-seal", 4) { return try sealed() }
    if isNamed("gcm-open", 5) { return try opened() }
    if isNamed("p256-verify", 3) {
      return try isValid(try P256Signature(rawRepresentation: arguments[2]))
    }
    if isNamed("p256-verify-der", 3) {
      return try isValid(try P256Signature(derRepresentation: arguments[2]))
    }
    if isNamed("p256-sign", 2) {
      return try privateKey().signature(for: arguments[1], nonce: .deterministic).rawRepresentation
    }
    if isNamed("p256-sign-hedged", 2) {
      let key = try privateKey()
      let signature = key.signature(for: arguments[1])
      return key.publicKey.isValidSignature(signature, for: arguments[1]) ? [1] : [0]
    }
    if isNamed("p256-sign-with-nonce", 3) {
      let digest = SHA2.SHA256.hash(arguments[2])
      return try privateKey().signature(forDigest: digest, givenNonce: arguments[1]).rawRepresentation
    }
    if isNamed("p256-public", 1) { return try privateKey().publicKey.x963Representation }
    if isNamed("p256-point", 1) { return try point(arguments[0]).x963Representation }
    if isNamed("p256-agree", 2) {
      let secret = try privateKey().sharedSecret(with: point(arguments[1]))
      return secret.withUnsafeBytes { Array($0) }
    }
    return nil
  }

  private func sealed() throws(CryptoError) -> [UInt8] {
    let box = try AESGCM(key: arguments[0])
      .seal(arguments[3], authenticating: arguments[2], anyInitializationVector: arguments[1])
    return box.ciphertext + box.authenticationTag
  }

  private func opened() throws(CryptoError) -> [UInt8] {
    try AESGCM(key: arguments[0]).open(
      ciphertext: arguments[3], truncatedTag: arguments[4], anyInitializationVector: arguments[1],
      authenticating: arguments[2])
  }

  private func isValid(_ signature: P256Signature) throws(CryptoError) -> [UInt8] {
    try point(arguments[0]).isValidSignature(signature, for: arguments[1]) ? [1] : [0]
  }

  private func privateKey() throws(CryptoError) -> P256PrivateKey {
    try P256PrivateKey(rawRepresentation: arguments[0])
  }

  /// A point in SEC 1's compressed or uncompressed encoding.
  private func point(_ encoded: [UInt8]) throws(CryptoError) -> P256PublicKey {
    encoded.count == 33
      ? try P256PublicKey(compressedRepresentation: encoded) : try P256PublicKey(x963Representation: encoded)
  }
}
