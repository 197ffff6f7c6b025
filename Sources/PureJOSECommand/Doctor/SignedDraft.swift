import JOSE
import PlatformSSOKit

/// A signed request taken apart, so that any part of it can be made other than it should be. The parts are put together
/// again by ``httpRequest()``.
struct SignedDraft {
  var header: JSONObject
  var claims: JSONObject
  var request: HTTPRequestValue
  /// Signs the token; nil leaves the signature empty.
  var sign: (([UInt8]) -> [UInt8])?
  /// Takes the place of the header's JSON text.
  var headerText: String?
  /// Takes the place of the claims' JSON text.
  var claimsText: String?
  /// Changes the finished token.
  var changeToken: (String) -> String = { $0 }
  /// Changes the fields of the form.
  var changeFields: ([(String, String)]) -> [(String, String)] = { $0 }
  /// Changes the finished HTTP request.
  var changeRequest: (inout HTTPRequestValue) -> Void = { _ in }
  /// The device's keys, for changes that need them.
  let keys: DeviceKeys
  let configuration: LoginConfiguration
  let method: LoginMethod
  var parameterName: String { configuration.requestParameterName }
  var serverNonceClaimName: String { configuration.serverNonceClaimName }

  init(_ made: DeviceRequest, of subject: DoctorSubject) throws {
    let (key, device) = (subject.signingKey, subject.device)
    let token = try UnverifiedJWS(parsing: made.assertion)
    header = token.unverifiedHeader.parameters
    claims = try JSONObject(parsing: token.unverifiedPayload)
    request = made.httpRequest
    sign = { (try? key.signature(for: $0)) ?? [] }
    keys = device.keys
    (configuration, method) = (device.configuration, subject.method)
  }

  /// The request as it is sent.
  func httpRequest() throws -> HTTPRequestValue {
    let head = Base64URL.encode(headerText.map { Array($0.utf8) } ?? header.serialized())
    let body = Base64URL.encode(claimsText.map { Array($0.utf8) } ?? claims.serialized())
    let signature = sign?(Array("\(head).\(body)".utf8)) ?? []
    let token = changeToken("\(head).\(body).\(Base64URL.encode(signature))")
    var request = request
    let fields = try request.form(acceptsDuplicates: true).fields.map { name, value in
      (name, name.utf8.elementsEqual(parameterName.utf8) ? token : value)
    }
    request.body = FormFields(changeFields(fields)).encoded()
    changeRequest(&request)
    return request
  }

  /// The token's segments, changed and joined again.
  mutating func changeSegments(_ change: @escaping (inout [String]) -> Void) {
    changeToken = { token in
      var segments = token.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      change(&segments)
      return segments.joined(separator: ".")
    }
  }

  /// Changes the octets of the signature.
  mutating func changeSignature(_ change: @escaping ([UInt8]) -> [UInt8]) {
    let sign = sign
    self.sign = { change(sign?($0) ?? []) }
  }

  /// Changes the form field of a name; nil leaves it out.
  mutating func changeField(_ name: String, _ value: String?) {
    changeFields = { fields in
      fields.compactMap { field in field.0 == name ? value.map { (name, $0) } : field }
    }
  }

  /// Changes a member of `jwe_crypto`; nil leaves it out.
  mutating func changeCrypto(_ name: String, _ value: JSONValue?) {
    var crypto = claims["jwe_crypto"]?.objectValue ?? [:]
    crypto[name] = value
    claims["jwe_crypto"] = .object(crypto)
  }

  /// Puts a party info of other parts into `jwe_crypto`.
  mutating func changePartyVInfo(_ change: (inout [UInt8]) -> Void) {
    var octets = (try? Base64URL.decode(claims["jwe_crypto"]?.objectValue?["apv"]?.stringValue ?? "")) ?? []
    change(&octets)
    changeCrypto("apv", .string(Base64URL.encode(octets)))
  }
}
