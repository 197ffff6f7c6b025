import JOSE
import StrictJSON

/// Keys in files: a JWK, a JWK Set, or PEM.
enum KeyFile {
  case key(JWK)
  case set(JWKSet)

  /// Reads the file that `--key` names.
  static func read(_ arguments: Arguments, _ console: Console) throws(CommandFailure) -> KeyFile {
    let path = try arguments.required("key")
    guard path != "-" else { throw .usage("keys come from files, not from standard input") }
    let bytes = try console.readFile(path)
    return try attempt { () throws(JOSEError) in try parse(bytes) }
  }

  private static func parse(_ bytes: [UInt8]) throws(JOSEError) -> KeyFile {
    guard bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == 0x7B else {
      return .key(try JWK(pemRepresentation: String(decoding: bytes, as: UTF8.self)))
    }
    let set = try? JSONObject(parsing: bytes)["keys"]
    if set != nil { return .set(try JWKSet(parsing: bytes, secretKeys: .accepted)) }
    return .key(try JWK(parsing: bytes))
  }

  /// The one key of a file that may not hold a set.
  func singleKey() throws(CommandFailure) -> JWK {
    guard case .key(let key) = self else { throw .usage("a single key is needed, not a key set") }
    return key
  }
}

extension JWK {
  /// The signature algorithm of a key that names none: HS256, or that of its curve, and none for types that leave a choice.
  var signatureAlgorithmIfUnnamed: SignatureAlgorithm? {
    guard algorithm == nil else { return nil }
    return switch curve {
    case .p256: .es256
    case .p384: .es384
    case .p521: .es512
    default: keyType == .oct ? .hs256 : nil
    }
  }

  /// The key management algorithm of a key that names none: `dir` or ECDH-ES, and none for types that leave a choice.
  var keyManagementAlgorithmIfUnnamed: KeyManagementAlgorithm? {
    guard algorithm == nil else { return nil }
    return switch curve {
    case .p256, .p384, .p521, .x25519: .ecdhES
    default: keyType == .oct ? .dir : nil
    }
  }
}

extension Arguments {
  /// The signature algorithm that `--alg` names, or else the key's own.
  func signatureAlgorithm(for key: JWK) throws(CommandFailure) -> SignatureAlgorithm? {
    guard let name = self["alg"] else { return key.signatureAlgorithmIfUnnamed }
    guard let algorithm = SignatureAlgorithm(name: name) else { throw .usage("the algorithm is not implemented") }
    return algorithm
  }

  /// The key management algorithm that `--alg` names, or else the key's own.
  func keyManagementAlgorithm(for key: JWK) throws(CommandFailure) -> KeyManagementAlgorithm? {
    guard let name = self["alg"] else { return key.keyManagementAlgorithmIfUnnamed }
    guard let algorithm = KeyManagementAlgorithm(name: name) else {
      throw .usage("the key management algorithm is not implemented")
    }
    return algorithm
  }
}

extension Console {
  /// A token from standard input, without the line break that a shell leaves.
  func readToken() throws(CommandFailure) -> String {
    let input = try readInput()
    let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    let start = input.firstIndex { !blanks.contains($0) } ?? input.endIndex
    let end = input.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? start
    guard let token = String(validating: input[start..<end], as: UTF8.self) else {
      throw .invalid("malformed: the token is no text")
    }
    return token
  }
}
