import StrictJSON

/// The claims of a JWT whose signature has been verified and whose claims satisfy a policy. Only verification makes a
/// value of this type.
public struct VerifiedJWT<Claims> {
  /// The claims, which the signature and the policy vouch for.
  public let claims: Claims

  @usableFromInline let origin: TokenOrigin

  /// The claims that RFC 7519 registers, read apart from ``claims``, whatever its type.
  public var registeredClaims: RegisteredClaims { origin.registeredClaims }

  /// The protected header.
  public var header: ProtectedHeader { origin.header }

  /// The key that verified the signature.
  public var key: VerificationKey { origin.key }

  @inlinable
  init(claims: consuming Claims, origin: consuming TokenOrigin) {
    self.claims = claims
    self.origin = origin
  }
}

/// The claims of a token that was accepted, not decoded yet.
@usableFromInline
struct AcceptedClaims: Sendable {
  let view: JSONView

  /// - Throws: ``ErrorCode/claimInvalid``.
  @usableFromInline
  func decoded<Claims: Decodable>(as type: Claims.Type) throws(JOSEError) -> Claims {
    do {
      // Taken from the text as it stands, without a decoder.
      if type == JSONObject.self, let object = try view.object() as? Claims { return object }
      return try StrictJSONDecoder.decoded(type, from: view)
    } catch {
      throw JOSEError(claims: error)
    }
  }
}

/// What is known of a token beside its claims: one value, handed on as a whole, for its parts hold a dozen references.
@usableFromInline
struct TokenOrigin: Sendable {
  let registeredClaims: RegisteredClaims
  let header: ProtectedHeader
  let key: VerificationKey
}

extension VerifiedJWT: Sendable where Claims: Sendable {}
