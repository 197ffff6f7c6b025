import JOSE
import JOSEHTTP
import PureCrypto
import StrictJSON

/// What registrations of devices and of users have in common.
enum RegistrationBody {
  /// The members of a JSON body, or the fields of a form, none of them twice.
  static func members(
    _ request: HTTPRequestValue, isForm: Bool, limits: Limits
  ) throws(PlatformSSOError) -> MessageMembers {
    guard request.method.hasSameBytes(as: "POST") else {
      throw PlatformSSOError(.methodNotAllowed, "the request's method is not POST")
    }
    guard request.body.count <= 64 << 10 else {
      throw PlatformSSOError(.limitExceeded, "the body is too long", name: "body")
    }
    guard isForm else {
      guard MediaType.matches(request.headers.values("Content-Type").first, MediaType.json) else {
        throw PlatformSSOError(.contentTypeInvalid, "the body is not declared to be JSON")
      }
      return try MessageMembers(parsing: request.body, limits: limits)
    }
    guard let form = try? request.form() else {
      throw PlatformSSOError(.formInvalid, "the body is no form", name: "body")
    }
    return MessageMembers(JSONObject(form.fields.map { ($0.name, .string($0.value)) }))
  }

  /// `attestation`: certificates in base64, at most eight.
  static func attestation(_ members: MessageMembers) throws(PlatformSSOError) -> [[UInt8]] {
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

  /// A public key as a format writes it.
  static func text(_ key: RegisteredKey, _ form: RegistrationNames.KeyForm) -> String {
    switch form {
    case .point: Base64.encode(key.x963Representation)
    case .pem: armoured((try? P256PublicKey(x963Representation: key.x963Representation))?.derRepresentation ?? [])
    case .armouredPoint: armoured(key.x963Representation)
    }
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
