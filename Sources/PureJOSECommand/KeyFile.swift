import JOSE
import PureCrypto
import StrictJSON

/// Keys in files: a JWK, a JWK Set, or PEM.
enum KeyFile {
  case key(JWK)
  case set(JWKSet)

  /// Reads the file that an option names.
  static func read(
    _ arguments: Arguments, _ console: Console, option: String = "key"
  ) throws(CommandFailure) -> KeyFile {
    try read(at: try arguments.required(option), arguments, console)
  }

  /// Reads the single keys in the files that `--key` names, at least one.
  static func readAll(_ arguments: Arguments, _ console: Console) throws(CommandFailure) -> [JWK] {
    _ = try arguments.required("key")
    var keys: [JWK] = []
    for path in arguments.values("key") { keys.append(try read(at: path, arguments, console).singleKey()) }
    return keys
  }

  /// Reads the file of this path, with the password in the file that `--password-file` names if the key is encrypted.
  static func read(
    at path: String, _ arguments: Arguments, _ console: Console
  ) throws(CommandFailure) -> KeyFile {
    guard path != "-" else { throw .usage("keys come from files, not from standard input") }
    guard !Visible.isContent(path) else { throw Visible.contentRefused }
    let bytes = try console.readTextFile(path)
    let text = String(decoding: bytes, as: UTF8.self)
    var password: [UInt8]?
    if text.contains("-----BEGIN ENCRYPTED PRIVATE KEY-----") {
      password = try console.password(of: arguments)
      guard password != nil else {
        throw .usage(
          "the key in \(Visible.argument(path)) is encrypted: --password-file FILE names a file with its password")
      }
    }
    do throws(JOSEError) {
      return try parse(bytes, text, password)
    } catch {
      throw .invalid("\(error) (in the key file \(Visible.argument(path)))")
    }
  }

  private static func parse(_ bytes: [UInt8], _ text: String, _ password: [UInt8]?) throws(JOSEError) -> KeyFile {
    guard bytes.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) == 0x7B else {
      guard let password else { return .key(try JWK(pemRepresentation: text)) }
      return .key(try JWK(encryptedPEMRepresentation: text, password: password))
    }
    let set = try? JSONObject(parsing: bytes)["keys"]
    if set != nil { return .set(try JWKSet(parsing: bytes, acceptsSecretKeys: true)) }
    return .key(try JWK(parsing: bytes))
  }

  /// The one key of a file that may not hold a set.
  func singleKey() throws(CommandFailure) -> JWK {
    guard case .key(let key) = self else { throw .usage("a single key is needed, not a key set") }
    return key
  }
}

extension JWK {
  /// The signature algorithm of a key that names none: HS256, or that of its curve, and none for types that leave a
  /// choice.
  var signatureAlgorithmIfUnnamed: SignatureAlgorithm? {
    guard algorithm == nil else { return nil }
    return switch curve {
    case .p256: .es256
    case .p384: .es384
    case .p521: .es512
    case .secp256k1: .es256k
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
  /// The signature algorithm that an option names, or else the key's own.
  func signatureAlgorithm(for key: JWK, option: String = "alg") throws(CommandFailure) -> SignatureAlgorithm? {
    guard let name = self[option] else {
      if key.algorithm == nil, key.keyType == .rsa { throw Self.unnamed(option, "RS256") }
      if key.algorithm == nil, key.curve == .ed25519 { throw Self.unnamed(option, "Ed25519") }
      return key.signatureAlgorithmIfUnnamed
    }
    guard let algorithm = SignatureAlgorithm(name: name) else {
      throw .notImplemented("algorithm", name, among: SignatureAlgorithm.allCases.map(\.description))
    }
    return algorithm
  }

  /// The signature algorithms that `--alg` names, which are those accepted of a key set, or else all.
  func signatureAlgorithms() throws(CommandFailure) -> [SignatureAlgorithm] {
    var algorithms: [SignatureAlgorithm] = []
    for name in values("alg") {
      guard let algorithm = SignatureAlgorithm(name: name) else {
        throw .notImplemented("algorithm", name, among: SignatureAlgorithm.allCases.map(\.description))
      }
      algorithms.append(algorithm)
    }
    return algorithms.isEmpty ? SignatureAlgorithm.allCases : algorithms
  }

  /// What verifies tokens with the key of `--key`, or with one of a set.
  ///
  /// - Parameter isForStrangers: whether keys of a set that are shared secrets don't count.
  func verifier(
    _ policy: JWTPolicy, _ console: Console, isForStrangers: Bool = false
  ) throws(CommandFailure) -> JWTVerifier {
    let algorithms = try signatureAlgorithms().filter { !isForStrangers || $0.row.keyType != .oct }
    switch try KeyFile.read(self, console) {
    case .set(let keys):
      return JWTVerifier(keys: keys, algorithms: algorithms, policy: policy)
    case .key(let jwk):
      guard values("alg").count <= 1 else { throw .usage("several --alg go with a key set") }
      let algorithm = try signatureAlgorithm(for: jwk)
      return JWTVerifier(key: try attempt { try VerificationKey(jwk, orNamed: algorithm) }, policy: policy)
    }
  }

  /// The key management algorithm that `--alg` names, or else the key's own.
  func keyManagementAlgorithm(for key: JWK) throws(CommandFailure) -> KeyManagementAlgorithm? {
    guard let name = self["alg"] else {
      if key.algorithm == nil, key.keyType == .rsa { throw Self.unnamed("alg", "RSA-OAEP-256") }
      return key.keyManagementAlgorithmIfUnnamed
    }
    guard let algorithm = KeyManagementAlgorithm(name: name) else {
      throw .notImplemented(
        "key management algorithm", name, among: KeyManagementAlgorithm.allCases.map(\.description))
    }
    return algorithm
  }
}

extension Arguments {
  /// A key that leaves the algorithm open stands without one.
  private static func unnamed(_ option: String, _ example: String) -> CommandFailure {
    .usage("the key names no algorithm, and is for several: name the one that is meant, such as --\(option) \(example)")
  }

  /// The key management algorithms that `--alg` names, which are those accepted of a key set, or else all without a
  /// password.
  func keyManagementAlgorithms() throws(CommandFailure) -> [KeyManagementAlgorithm] {
    var algorithms: [KeyManagementAlgorithm] = []
    for name in values("alg") {
      guard let algorithm = KeyManagementAlgorithm(name: name) else {
        throw .notImplemented(
          "key management algorithm", name, among: KeyManagementAlgorithm.allCases.map(\.description))
      }
      algorithms.append(algorithm)
    }
    return algorithms.isEmpty ? KeyManagementAlgorithm.allCases.filter { !$0.usesPassword } : algorithms
  }

  /// The serialization that `--serialization` names: nil for compact, which is the default for a single key.
  func serialization(keyCount: Int) throws(CommandFailure) -> JOSESerialization? {
    guard keyCount == 1 || self["alg"] == nil else { throw .usage("--alg goes with a single key") }
    switch self["serialization"] ?? (keyCount == 1 ? "compact" : "general") {
    case "general": return .general
    case "compact", "flattened":
      guard keyCount == 1 else { throw .usage("several keys need --serialization general") }
      return self["serialization"] == "flattened" ? .flattened : nil
    default: throw .usage("--serialization is compact, flattened or general")
    }
  }
}

extension String {
  /// Whether a message is in a JSON serialization: those begin with a brace, which no compact one does.
  var isJSONSerialization: Bool { utf8.first == 0x7B }
}

extension Console {
  /// The token that is the one operand or in the file of that name, or else on standard input, without the line break
  /// that a shell leaves.
  func readToken(_ arguments: Arguments, upTo limit: ByteLimit = .token) throws(CommandFailure) -> String {
    try arguments.requireAtMostOneOperand()
    guard let operand = arguments.operands.first, operand != "-" else { return try Self.token(in: input(upTo: limit)) }
    guard !operand.isJSONSerialization else { return try Self.token(in: Array(operand.utf8)) }
    // No compact token has a slash, nor the ending of a file.
    if operand.utf8.contains(0x2F) || MistakenText.isPath(operand.utf8) { return try readToken(at: operand, limit) }
    do throws(CommandFailure) {
      return try Self.token(in: file(operand, upTo: limit))
    } catch {
      // A file that is there, and is too long or can't be read.
      guard case .usage = error, SystemInterface.kind(of: operand) == nil else { throw error }
    }
    guard operand.utf8.count(where: { $0 == 0x2E }) >= 2 else {
      throw .invalid(
        "no file of this name; if it is a token, it is opaque: its issuer's introspection endpoint knows what it says")
    }
    return try Self.token(in: Array(operand.utf8))
  }

  /// A token from a file, without the line break at its end.
  func readToken(at path: String, _ limit: ByteLimit = .token) throws(CommandFailure) -> String {
    try Self.token(in: file(path, upTo: limit))
  }

  private static func token(in input: [UInt8]) throws(CommandFailure) -> String {
    let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]
    let start = input.firstIndex { !blanks.contains($0) } ?? input.endIndex
    let end = input.lastIndex { !blanks.contains($0) }.map { $0 + 1 } ?? start
    guard let token = String(validating: input[start..<end], as: UTF8.self) else {
      throw .invalid("malformed: the token is not text")
    }
    return token
  }
}
