import PureCrypto
import JOSE
import OpenIDKit
import StrictJSON

/// A successful answer of the token endpoint, to a code, a refresh token or a token exchange.
///
/// Descriptions show no token.
/// Source: RFC 6749 §5.1, RFC 8693 §2.2.1, OpenID Connect Native SSO 1.0.
package struct TokenResponse: Sendable, Redacted {
  /// The tokens. A client has not verified anything in them.
  package var tokens: TokenAnswer
  /// `issued_token_type`, of a token exchange.
  package var issuedTokenType: WireName?
  /// `device_secret`, or its old alias.
  package var deviceSecret: DeviceSecret?
  /// Why a device secret that was sent must not be used. The rest of the response stands.
  package var deviceSecretProblem: JOSEError?

  package init(_ tokens: TokenAnswer, issuedTokenType: WireName? = nil, deviceSecret: DeviceSecret? = nil) {
    (self.tokens, self.issuedTokenType, self.deviceSecret) = (tokens, issuedTokenType, deviceSecret)
  }

  /// Reads a response body. An optional member that is `null` counts as absent.
  ///
  /// - Parameters:
  ///   - body: of a successful response.
  ///   - acceptsAlias: whether `device_token` counts where `device_secret` is absent.
  ///   - limits: bounds on the body: `tokenByteCount`, and as JSON those of claims.
  /// - Throws: `ErrorCode.answerMalformed`, `ErrorCode.unsupportedTokenType`.
  package init(
    parsing body: some Collection<UInt8>, acceptsAlias: Bool = true, limits: Limits = .default
  ) throws(JOSEError) {
    guard body.count <= limits.tokenByteCount, let object = try? JSONObject(parsing: body, within: limits.claimsJSON)
    else { throw JOSEError(.answerMalformed, "the response is not a JSON object of acceptable size") }
    do throws(TokenResponseFault) {
      self.init(try TokenAnswer(object), in: object, acceptsAlias: acceptsAlias)
      issuedTokenType = try object.tokenText("issued_token_type").map { WireName($0) }
    } catch {
      throw JOSEError(error)
    }
  }

  /// Tokens with the device secret beside them.
  ///
  /// - Parameters:
  ///   - object: what the tokens were read from.
  ///   - acceptsAlias: whether `device_token` counts where `device_secret` is absent.
  package init(_ tokens: TokenAnswer, in object: JSONObject, acceptsAlias: Bool) {
    self.init(tokens)
    do throws(JOSEError) {
      deviceSecret = try Self.deviceSecret(object, acceptsAlias: acceptsAlias)
      if deviceSecret != nil, tokens.idToken == nil {
        throw JOSEError(.deviceSecretWithoutIDToken, "the response has a device secret, but no ID token that binds it")
      }
    } catch {
      deviceSecret = nil
      deviceSecretProblem = error
    }
  }

  private static func deviceSecret(_ object: JSONObject, acceptsAlias: Bool) throws(JOSEError) -> DeviceSecret? {
    let secret = try secret(object["device_secret"])
    guard acceptsAlias, let alias = try self.secret(object["device_token"]) else { return secret }
    guard let secret else { return alias }
    guard secret.isSame(as: alias) else {
      throw JOSEError(.deviceSecretAmbiguous, "two different device secrets came", name: "device_token")
    }
    return secret
  }

  private static func secret(_ value: JSONValue?) throws(JOSEError) -> DeviceSecret? {
    guard let value, !value.isNull else { return nil }
    guard case .string(let text) = value else {
      throw JOSEError(.deviceSecretMalformed, "the device secret is not a string", name: "device_secret")
    }
    return try DeviceSecret(text)
  }

  /// What a provider answers with. A device secret goes with the ID token that binds it, or not at all.
  package var issued: TokenAnswer {
    var issued = tokens
    if let issuedTokenType { issued.additionalMembers["issued_token_type"] = .string(issuedTokenType.text) }
    if let deviceSecret, tokens.idToken != nil {
      issued.additionalMembers["device_secret"] = .string(deviceSecret.reveal())
    }
    return issued
  }
}
