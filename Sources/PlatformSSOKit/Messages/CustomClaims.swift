import JOSE
import StrictJSON

/// Claims that a login configuration adds to the header and the body of one kind of message.
///
/// The rule: a custom claim never takes the place of a member that the message defines, whether this message has it or
/// not; that is `ErrorCode.customClaimReserved`. Of two custom claims of one name, the user's counts by default, and
/// not the device's. Extensions do override `typ`, so that has an option of its own, `type`. What decides about the
/// processing of a message (`alg`, `kid`, `crit`, `epk` and their like) can't be overridden at all.
public struct CustomClaims: Sendable, Hashable {
  package var header: JSONObject
  package var body: JSONObject
  package var type: String?

  /// No custom claims but those given.
  ///
  /// - Parameters:
  ///   - header: parameters added to the header.
  ///   - body: claims added to the body.
  ///   - type: the `typ` that stands in place of the message's own. Microsoft Entra's extension has `JWT`.
  public init(header: JSONObject = [:], body: JSONObject = [:], type: String? = nil) {
    self.header = header
    self.body = body
    self.type = type
  }

  /// These claims, a device's, together with a user's.
  func merged(with user: CustomClaims, prefersDevice: Bool) -> CustomClaims {
    guard !prefersDevice else { return user.merged(with: self, prefersDevice: false) }
    var merged = self
    for (name, value) in user.header.members { merged.header[name] = value }
    for (name, value) in user.body.members { merged.body[name] = value }
    merged.type = user.type ?? type
    return merged
  }

  /// Adds the body claims to a message.
  ///
  /// - Parameter reserved: names that the message defines.
  func append(to claims: inout JSONObject, reserved: [WireName]) throws(JOSEError) {
    for (name, value) in body.members {
      guard claims[name] == nil, !reserved.contains(name) else {
        throw JOSEError(.customClaimReserved, "a custom claim would replace one of the message", name: name)
      }
      claims[name] = value
    }
  }

  /// The header of a message, custom parameters included.
  func headerParameters(
    type messageType: MessageType, keyID: String?, certificate: [UInt8]?, isArray: Bool, isIndented: Bool
  ) throws(JOSEError) -> HeaderParameters {
    var additional = JSONObject()
    if let certificate {
      let text = JSONValue.string(Base64.encode(certificate))
      additional["x5c"] = isArray ? .array([text]) : text
    }
    for (name, value) in header.members {
      guard !Self.reservedHeaderParameters.contains(name) else {
        throw JOSEError(.customClaimReserved, "a custom claim would replace a header parameter", name: name)
      }
      additional[name] = value
    }
    var parameters = HeaderParameters(type: type ?? messageType.name, keyID: keyID, additional: additional)
    // A Mac writes the type first.
    parameters.rendering = { header in
      let first: [WireName] = ["typ", "alg", "kid"]
      let ordered = first.compactMap { name in header[name.text].map { (name.text, $0) } }
      let rest = header.members.filter { !first.contains($0.name) }
      return MessageText.octets(JSONObject(ordered + rest.map { ($0.name, $0.value) }), isIndented: isIndented)
    }
    return parameters
  }

  /// The parameters that the base specifications define.
  private static let reservedHeaderParameters: [WireName] = [
    "typ", "alg", "kid", "x5c", "enc", "zip", "crit", "cty", "b64", "jku", "jwk", "x5u", "x5t", "x5t#S256", "epk",
    "apu",
    "apv", "iv", "tag", "p2s", "p2c", "ek", "psk_id", "auth_kid",
  ]
}
