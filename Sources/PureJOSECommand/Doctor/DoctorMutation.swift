import JOSE
import PlatformSSOKit
import PureCrypto

/// A change to a request that a server must refuse.
struct DoctorMutation: Sendable {
  let name: String
  let rule: String
  let source: String
  /// What it means if the request is answered all the same.
  let ifAccepted: DoctorFinding.Verdict
  /// Whether 401, which makes a Mac ask the user again, is a right way to refuse.
  let mayAskAgain: Bool
  /// Whether it is the only one.
  let mustAskAgain: Bool
  let apply: @Sendable (inout SignedDraft) -> Void

  init(
    _ name: String, _ rule: String, _ source: String = "RFC 7515", ifAccepted: DoctorFinding.Verdict = .wrong,
    mayAskAgain: Bool = false, mustAskAgain: Bool = false, _ apply: @escaping @Sendable (inout SignedDraft) -> Void
  ) {
    (self.name, self.rule, self.source) = (name, rule, source)
    (self.ifAccepted, self.mayAskAgain, self.apply) = (ifAccepted, mayAskAgain || mustAskAgain, apply)
    self.mustAskAgain = mustAskAgain
  }

  /// Whether its refusal is compared with that of a wrong password.
  var isCredential: Bool { mustAskAgain || name == DoctorMutations.unknownUser }

  /// What a server forgets that accepts it: most of a kind have the same word in front.
  var cause: String {
    let inside = name.hasPrefix("assertion: ") ? "assertion: " : ""
    let name = name.dropFirst(inside.count)
    let word = name.prefix { $0 != " " }
    for (cause, words) in DoctorMutations.causes where words.contains(String(word)) { return inside + cause }
    return inside + (name.hasPrefix("server nonce") ? "server nonce" : String(word))
  }
}

/// What is tried with every signed request.
enum DoctorMutations {
  static let login = "Apple, Creating and validating a login request"
  static let response = "Apple, Creating a JWE login response"

  /// The causes that mutations with other first words have in common.
  static let causes: KeyValuePairs = [
    "signature": ["alg", "signature", "header", "claims", "key", "crit", "b64"],
    "form of the token": ["two", "four", "five", "token"],
    "form of the request": ["GET", "Content-Type", "body", "form", "the", "platform_sso_version"],
    "user": ["sub", "username"],
    "assertion": ["a", "an"],
  ]

  static func common(_ kind: DeviceRequest.Message) -> [DoctorMutation] {
    header(kind) + signature + form + tokenForm + claims(kind) + encryption
  }

  private static func header(_ kind: DeviceRequest.Message) -> [DoctorMutation] {
    let other = kind == .login ? "platformsso-refresh-request+jwt" : "platformsso-login-assertion+jwt"
    return [
      DoctorMutation("typ absent", "each message has its type", login, ifAccepted: .lenient) { $0.header["typ"] = nil },
      DoctorMutation("typ of another message", "each message has its type", login, ifAccepted: .lenient) {
        $0.header["typ"] = .string(other)
      },
      DoctorMutation("alg none", "an unsigned request proves no sender", "RFC 8725 §3.2") {
        $0.header["alg"] = "none"
        $0.sign = nil
      },
      DoctorMutation("alg none, signed", "alg must be one that is expected", "RFC 8725 §3.1") {
        $0.header["alg"] = "none"
      },
      DoctorMutation("alg HS256 with the public key", "a public key is not a secret", "RFC 8725 §2.1") { draft in
        draft.header["alg"] = "HS256"
        let key = draft.keys.signingKeyX963Representation
        draft.sign = { Array(HMACSHA256.authenticate($0, anyKey: SecretBytes(copying: key))) }
      },
      DoctorMutation("alg ES384", "device keys sign ES256", login) { $0.header["alg"] = "ES384" },
      DoctorMutation("alg RS256", "device keys sign ES256", login) { $0.header["alg"] = "RS256" },
      DoctorMutation("alg es256", "names are compared exactly") { $0.header["alg"] = "es256" },
      DoctorMutation("alg absent", "alg must be there") { $0.header["alg"] = nil },
      DoctorMutation("alg a number", "alg is text") { $0.header["alg"] = 256 },
      DoctorMutation("kid absent", "kid names the device's key", login, ifAccepted: .lenient) {
        $0.header["kid"] = nil
      },
      DoctorMutation("kid unknown", "the device must be known", login) {
        $0.header["kid"] = .string(Base64.encode([UInt8](repeating: 0x5A, count: 32)))
      },
      DoctorMutation("kid of the encryption key", "kid names the signing key", login) {
        $0.header["kid"] = .string($0.keys.encryptionKeyID.text)
      },
      DoctorMutation("kid empty", "kid names the device's key", login) { $0.header["kid"] = "" },
      DoctorMutation("kid a number", "kid is text") { $0.header["kid"] = 1 },
      DoctorMutation("kid a path", "kid is not a file name", "hygiene") { $0.header["kid"] = "../../../../etc/passwd" },
      DoctorMutation("crit with an unknown extension", "what is critical must be understood", "RFC 7515 §4.1.11") {
        $0.header["crit"] = ["x"]
        $0.header["x"] = 1
      },
      DoctorMutation("b64 false", "the payload is base64url", "RFC 7797") {
        $0.header["b64"] = false
        $0.header["crit"] = ["b64"]
      },
      DoctorMutation("key of the sender's own in jwk", "a key in the header proves nothing", "RFC 8725 §3.10") {
        draft in
        guard let key = try? SigningKey.generate(.es256), let jwk = key.verificationKey.publicJWK else { return }
        draft.header["jwk"] = (try? JSONObject(parsing: jwk.serialized())).map { JSONValue.object($0) }
        draft.sign = { (try? key.signature(for: $0)) ?? [] }
      },
      DoctorMutation("header with a member twice", "names are unique", "RFC 7515 §4", ifAccepted: .lenient) { draft in
        let text = String(decoding: draft.header.serialized(), as: UTF8.self)
        draft.headerText = #"{"alg":"none","# + text.dropFirst()
      },
      DoctorMutation("header no JSON", "the header is JSON") { $0.headerText = "alg=ES256" },
      DoctorMutation("header an array", "the header is an object") { $0.headerText = "[]" },
    ]
  }

  private static let signature: [DoctorMutation] = [
    DoctorMutation("signature with one bit flipped", "the signature must verify") { draft in
      draft.changeSignature { octets in
        var changed = octets
        if !changed.isEmpty { changed[changed.count - 1] ^= 1 }
        return changed
      }
    },
    DoctorMutation("signature cut", "64 octets", "RFC 7518 §3.4") { $0.changeSignature { Array($0.dropLast()) } },
    DoctorMutation("signature longer", "64 octets", "RFC 7518 §3.4") { $0.changeSignature { $0 + [0] } },
    DoctorMutation("signature empty", "the signature must be there") { $0.sign = nil },
    DoctorMutation("signature of zeros", "r and s are 1 to n − 1", "FIPS 186-5 §6.4.2") {
      $0.changeSignature { [UInt8](repeating: 0, count: $0.count) }
    },
    DoctorMutation("signature in DER", "r and s are 32 octets each", "RFC 7518 §3.4", ifAccepted: .lenient) {
      $0.changeSignature { octets in
        (try? P256Signature(rawRepresentation: octets).derRepresentation) ?? octets
      }
    },
    DoctorMutation("signature by another key", "the signature must verify") { draft in
      let key = try? SigningKey.generate(.es256)
      draft.sign = { (try? key?.signature(for: $0)) ?? [] }
    },
    DoctorMutation("header changed after signing", "the signature covers the header") { draft in
      draft.changeSegments { segments in
        let header = (try? JSONObject(parsing: Base64URL.decode(segments[0]))) ?? [:]
        var changed = header
        changed["x"] = 1
        segments[0] = Base64URL.encode(changed.serialized())
      }
    },
    DoctorMutation("claims changed after signing", "the signature covers the claims") { draft in
      draft.changeSegments { segments in
        var claims = (try? JSONObject(parsing: Base64URL.decode(segments[1]))) ?? [:]
        claims["x"] = 1
        segments[1] = Base64URL.encode(claims.serialized())
      }
    },
  ]

  private static let tokenForm: [DoctorMutation] = [
    DoctorMutation("two segments", "a compact JWS has three", "RFC 7515 §7.1") {
      $0.changeSegments { $0.removeLast() }
    },
    DoctorMutation("four segments", "a compact JWS has three", "RFC 7515 §7.1") {
      $0.changeSegments { $0.append("AA") }
    },
    DoctorMutation("five segments", "a request is signed, not encrypted", login) {
      $0.changeSegments { $0 += ["AA", "AA"] }
    },
    DoctorMutation("token empty", "the request must be there", login) { $0.changeToken = { _ in "" } },
    DoctorMutation("token no token", "a compact JWS has three segments", "RFC 7515 §7.1") {
      $0.changeToken = { _ in "x" }
    },
    DoctorMutation("token of a megabyte", "sizes are bounded", "hygiene", ifAccepted: .lenient) {
      $0.claims["x"] = .string(String(repeating: "a", count: 1 << 20))
    },
  ]

  private static let form: [DoctorMutation] = [
    DoctorMutation("GET", "requests are posted", login) { $0.changeRequest = { $0.method = "GET" } },
    DoctorMutation("Content-Type JSON", "requests are forms", login, ifAccepted: .lenient) {
      $0.changeRequest = { try? $0.headers.set("Content-Type", "application/json") }
    },
    DoctorMutation("body empty", "requests are forms", login) { $0.changeRequest = { $0.body = [] } },
    DoctorMutation("body no form", "requests are forms", login) { $0.changeRequest = { $0.body = Array("%%%".utf8) } },
    DoctorMutation(
      "form with grant_type password", "the form's grant is always jwt-bearer", login, ifAccepted: .lenient
    ) {
      $0.changeField("grant_type", "password")
    },
    DoctorMutation("form without grant_type", "the form's grant is always jwt-bearer", login, ifAccepted: .lenient) {
      $0.changeField("grant_type", nil)
    },
    DoctorMutation("platform_sso_version 9.9", "the version is known", login, ifAccepted: .lenient) {
      $0.changeField("platform_sso_version", "9.9")
    },
    DoctorMutation("platform_sso_version absent", "the version must be there", login, ifAccepted: .lenient) {
      $0.changeField("platform_sso_version", nil)
    },
    DoctorMutation("the request twice", "what decides is there once", "hygiene", ifAccepted: .lenient) { draft in
      let name = draft.parameterName
      draft.changeFields = { fields in fields + fields.filter { $0.0 == name } }
    },
    DoctorMutation("the request absent", "the request must be there", login) { $0.changeField($0.parameterName, nil) },
  ]
}
