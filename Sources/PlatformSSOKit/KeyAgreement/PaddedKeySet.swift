import JOSE
import StrictJSON

extension LoginConfiguration {
  /// The provider's keys for `id_token`: what ``jwksEndpointURL`` answers with.
  ///
  /// Under a preset whose product drops leading zeros, coordinates on P-256 that lack them are filled up, as in
  /// responses. Otherwise such a key is one of the set's `unsupportedKeys`, as RFC 7518 §6.2.1.2 has it.
  /// - Throws: `ErrorCode.malformed`, `ErrorCode.limitExceeded`. A wrong key is not an error.
  public func idTokenKeys(
    parsing json: [UInt8], limits: Limits = .default
  ) throws(JOSEError) -> JWKSet {
    var octets = json
    if acceptsShortCoordinates, var set = try? JSONObject(parsing: json, within: limits.keySetJSON),
      case .array(let entries)? = set["keys"]
    {
      set["keys"] = .array(entries.map { Self.padded($0) })
      octets = set.serialized()
    }
    return try JWKSet(parsing: octets, limits: limits)
  }

  /// A key with coordinates of 32 octets, if it is on P-256.
  private static func padded(_ entry: JSONValue) -> JSONValue {
    guard case .object(var key) = entry, key["kty"] == "EC", key["crv"] == "P-256" else { return entry }
    for name in ["x", "y"] {
      guard let text = key[name]?.stringValue, let octets = try? Base64URL.decode(text), (1..<32).contains(octets.count)
      else { continue }
      key[name] = .string(Base64URL.encode(EphemeralKeyMember.leftPadded(octets)))
    }
    return .object(key)
  }
}
