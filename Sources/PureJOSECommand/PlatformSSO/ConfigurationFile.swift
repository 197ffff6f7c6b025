import JOSE
import PlatformSSOKit

/// A configuration file and the files that it names, whose paths are relative to its folder.
struct ConfigurationFile {
  let console: Console
  private let folder: String
  let members: ConfigurationMembers

  /// Reads the file that `--config` names.
  init(_ arguments: Arguments, console: Console) throws(CommandFailure) {
    let path = try arguments.required("config")
    guard path != "-" else { throw .usage("the configuration is a file: messages come on standard input") }
    self.console = console
    folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
    let bytes = try console.readTextFile(path)
    do throws(JSONError) {
      members = ConfigurationMembers(try JSONObject(parsing: bytes))
    } catch {
      // The parser's text has a place in it, and nothing of what stands there.
      throw .usage("the configuration is not a strict JSON object: \(error)")
    }
  }

  /// A file named in the configuration.
  func read(_ path: String) throws(CommandFailure) -> [UInt8] {
    try console.readTextFile(path.hasPrefix("/") ? path : folder + path)
  }

  /// A JWK: an object, or the path of a file with a JWK or PEM in it.
  func key(_ name: String, in members: inout ConfigurationMembers) throws(CommandFailure) -> JWK? {
    let place = members.path + name
    switch members.value(name) {
    case nil:
      return nil
    case .string(let path)?:
      let bytes = try read(path)
      return try keyError(place) {
        bytes.first { !$0.isBlank } == 0x7B
          ? try JWK(parsing: bytes) : try JWK(pemRepresentation: String(decoding: bytes, as: UTF8.self))
      }
    case .object(let object)?:
      return try keyError(place) { try JWK(object) }
    default:
      throw .usage("\(place) in the configuration must be a JWK or the path of a key file")
    }
  }

  /// A key that must be there.
  func requiredKey(_ name: String, in members: inout ConfigurationMembers) throws(CommandFailure) -> JWK {
    guard let key = try key(name, in: &members) else { throw members.missing(name) }
    return key
  }

  /// A public key on P-256: a JWK, or the path of a file with a JWK, PEM, or base64 of the 65 octets or of SPKI in it.
  func publicKey(_ name: String, in members: inout ConfigurationMembers) throws(CommandFailure) -> RegisteredKey? {
    let place = members.path + name
    let invalid = CommandFailure.usage("\(place) in the configuration is not a public key on P-256")
    let point: [UInt8]?
    switch members.value(name) {
    case nil:
      return nil
    case .string(let path)?:
      let bytes = try read(path)
      guard bytes.first(where: { !$0.isBlank }) == 0x7B else {
        let text = String(decoding: bytes.reversed().drop(while: \.isBlank).reversed(), as: UTF8.self)
        guard let key = try? RegisteredKey(registering: text) else { throw invalid }
        return key
      }
      point = try? JWK(parsing: bytes).x963Representation
    case .object(let object)?:
      point = try? JWK(object).x963Representation
    default:
      throw invalid
    }
    guard let point, let key = try? RegisteredKey(x963Representation: point) else { throw invalid }
    return key
  }

  /// A certificate: the path of a file in DER, or PEM with one certificate in it.
  func certificate(_ name: String, in members: inout ConfigurationMembers) throws(CommandFailure) -> [UInt8]? {
    guard let path = try members.string(ifPresent: name) else { return nil }
    let octets = try read(path)
    guard let certificates = try? CertificateFile.certificates(in: octets), certificates.count == 1 else {
      throw .usage("\(members.path)\(name) in the configuration is not a certificate in DER or PEM")
    }
    return certificates[0]
  }

  /// A key set: an object, or the path of a file.
  func keySet(
    _ name: String, for configuration: LoginConfiguration, in members: inout ConfigurationMembers
  ) throws(CommandFailure) -> JWKSet? {
    let place = members.path + name
    let bytes: [UInt8]
    switch members.value(name) {
    case nil: return nil
    case .string(let path)?: bytes = try read(path)
    case .object(let object)?: bytes = object.serialized()
    default: throw .usage("\(place) in the configuration must be a JWK Set or the path of one")
    }
    return try keyError(place) { try configuration.idTokenKeys(parsing: bytes) }
  }

  /// Runs code on a key, naming the key's place if it fails.
  func keyError<Value>(_ place: String, _ body: () throws -> Value) throws(CommandFailure) -> Value {
    do {
      return try body()
    } catch {
      throw .usage("\(place) in the configuration: \(error)")
    }
  }
}

extension UInt8 {
  /// White space of JSON and of shells.
  var isBlank: Bool { self == 0x20 || self == 0x09 || self == 0x0A || self == 0x0D }
}
