import JOSE
import PureCrypto
import StrictJSON

/// What registrations of devices and of users have in common.
enum RegistrationBody {
  /// The members of a JSON body, or the fields of a form, none of them twice.
  static func members(
    _ request: HTTPRequestValue, isForm: Bool, limits: Limits
  ) throws(JOSEError) -> MessageMembers {
    guard request.hasMethod("POST") else {
      throw JOSEError(.methodNotAllowed, "the request's method is not POST")
    }
    guard request.body.count <= 64 << 10 else {
      throw JOSEError(.limitExceeded, "the body is too long", name: "body")
    }
    guard isForm else {
      let types = request.headers.values("Content-Type")
      guard types.count == 1, MediaType.matches(types.first, MediaType.json) else {
        throw JOSEError(.contentTypeInvalid, "the body is not declared to be JSON")
      }
      try request.requireUncoded()
      return try MessageMembers(parsing: request.body, limits: limits)
    }
    let form: FormFields
    do throws(JOSEError) {
      // No field twice: which of two keys is registered must not depend on who reads the form.
      form = try request.form()
    } catch {
      throw PostedForm.error(error)
    }
    return MessageMembers(JSONObject(form.fields.map { ($0.name, .string($0.value)) }))
  }

  /// A key and its identifier: text in a known form, or a JWK, whose `kid` may stand for the identifier.
  static func key(
    _ members: MessageMembers, _ name: String, keyID: String, signatureAlgorithms: [SignatureAlgorithm] = [.es256]
  ) throws(JOSEError) -> RegisteredKey {
    guard case .object(let object)? = members.object[name] else {
      return try RegisteredKey(
        registering: try members.nonEmptyString(name), claimedKeyID: try members.nonEmptyString(keyID),
        signatureAlgorithms: signatureAlgorithms)
    }
    let inner = try MessageMembers(object).string(ifPresent: "kid")
    guard let claimed = try members.string(ifPresent: keyID) ?? inner else { throw members.missing(keyID) }
    return try RegisteredKey(
      registering: object, claimedKeyID: claimed, signatureAlgorithms: signatureAlgorithms)
  }

  /// A name that the sender gives a Mac, if it is there: at most 255 octets, and no character that controls a terminal,
  /// a line or the direction of writing, since it is kept and shown.
  static func name(_ members: MessageMembers, _ name: String) throws(JOSEError) -> String? {
    let text = try members.string(ifPresent: name)
    guard let text else { return nil }
    guard text.utf8.count <= 255, !text.unicodeScalars.contains(where: isControl) else { throw members.invalid(name) }
    return text
  }

  /// Whether a name differs from every other one to the eye, as far as that is a matter of characters that leave no
  /// mark: blanks at the ends, and format characters but for those that join and choose the forms of others.
  static func isVisible(_ text: String) -> Bool {
    let scalars = text.unicodeScalars
    let isBlank = { (scalar: Unicode.Scalar?) in scalar.map { $0.properties.isWhitespace } ?? false }
    guard !isBlank(scalars.first), !isBlank(scalars.last) else { return false }
    return scalars.allSatisfy { scalar in
      scalar.value == 0x200D || scalar.properties.isVariationSelector
        || (scalar.properties.generalCategory != .format && !scalar.properties.isDefaultIgnorableCodePoint)
    }
  }

  private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
    [.control, .lineSeparator, .paragraphSeparator].contains(scalar.properties.generalCategory)
      || scalar.properties.isBidiControl
  }

  /// A registration, in JSON or as a form.
  static func request(
    _ members: [(String, String)], attestation: [[UInt8]], isForm: Bool = false, to url: String,
    clientRequestID: String?
  ) throws(JOSEError) -> HTTPRequestValue {
    let fields = [("Accept", MediaType.json)] + (clientRequestID.map { [("client-request-id", $0)] } ?? [])
    guard !isForm else { return .post(FormFields(members), to: url, headers: try .fields(fields)) }
    var body = JSONObject(members.map { ($0.0, JSONValue.string($0.1)) })
    if !attestation.isEmpty { body["attestation"] = .array(attestation.map { .string(Base64.encode($0)) }) }
    return HTTPRequestValue(
      method: "POST", url: url, headers: try .fields(fields + [("Content-Type", MediaType.json)]),
      body: body.serialized())
  }

  /// `attestation`: certificates in base64, at most eight.
  static func attestation(_ members: MessageMembers) throws(JOSEError) -> [[UInt8]] {
    let texts = try members.strings(ifPresent: "attestation") ?? []
    guard texts.count <= 8 else { throw members.invalid("attestation") }
    var certificates: [[UInt8]] = []
    for text in texts {
      guard let certificate = AnyBase64.decode(text), !certificate.isEmpty, certificate.count <= 16 << 10 else {
        throw members.invalid("attestation")
      }
      certificates.append(certificate)
    }
    return certificates
  }

  /// A public key as a format writes it; the error for one that has no form in it is named by the member.
  static func text(
    _ key: RegisteredKey, _ form: RegistrationNames.KeyForm, name: String
  ) throws(JOSEError) -> String {
    switch form {
    case .point where key.isP256, .pointOrSPKI where key.isP256: return Base64.encode(key.x963Representation)
    case .armouredPoint where key.isP256: return armoured(key.x963Representation)
    case .pointOrSPKI: return Base64.encode(try key.subjectPublicKeyInfo)
    case .pem: return armoured(try key.subjectPublicKeyInfo)
    case .point, .armouredPoint:
      throw JOSEError(.keyMismatch, "this format takes a public key on P-256 only", name: name)
    }
  }

  /// Requires a key on P-256, as all are but devices' signing keys.
  static func requireP256(_ key: RegisteredKey, name: String) throws(JOSEError) {
    guard key.isP256 else { throw JOSEError(.keyMismatch, "the key is not on P-256", name: name) }
  }

  /// Fleet writes identifiers in base64url, everybody else as macOS does.
  static func identifier(_ key: RegisteredKey, _ format: RegistrationFormat) -> String {
    format == .fleet ? Base64URL.encode(key.keyID.octets) : key.keyID.text
  }

  private static func armoured(_ octets: [UInt8]) -> String {
    var text = Array(Base64.encode(octets).utf8)[...]
    var lines = ["-----BEGIN PUBLIC KEY-----"]
    while !text.isEmpty {
      lines.append(String(decoding: text.prefix(64), as: UTF8.self))
      text = text.dropFirst(64)
    }
    return (lines + ["-----END PUBLIC KEY-----", ""]).joined(separator: "\n")
  }
}
