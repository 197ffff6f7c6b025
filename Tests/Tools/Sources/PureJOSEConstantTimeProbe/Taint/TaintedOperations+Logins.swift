import JOSE
import NativeSSOKit
import PlatformSSOKit
import PureCrypto
import OpenIDKit

/// What the protocols above JOSE do with secrets of their own. Nonces, contexts and tokens are public once they are
/// made.
extension TaintedOperations {
  static var logins: [TaintedOperation] { platform + nativeSSO + tokenRefresh }

  // MARK: Platform SSO

  private static var platform: [TaintedOperation] {
    [
      TaintedOperation("psso.server-nonce, made and checked", decides: true, numbered: octets(64)) { secret, number in
        guard let now = NumericDate(secondsSince1970: 1_700_000_000) else { return nil }
        let nonces = try ServerNonces(
          secret: SecretBytes(copying: secret[..<32]), previousSecrets: [SecretBytes(copying: secret[32...])])
        // Half of them were made under the secret before.
        let makers = try ServerNonces(secret: SecretBytes(copying: number % 2 == 0 ? secret[..<32] : secret[32...]))
        var nonce = published(makers.make(at: now, boundTo: "request"))
        if number > 3 { nonce = String(nonce.dropLast()) + (nonce.last == "A" ? "E" : "A") }
        _ = try nonces.check(nonce, at: now, boundTo: "request")
        return Array(nonce.utf8)
      },
      TaintedOperation("psso.key-context, sealed and opened", decides: true, numbered: unlockKeys) { secret, number in
        let contexts = try KeyContexts(secret: SecretBytes(copying: secret[..<32]))
        let key = try UnlockKey(rawRepresentation: SecretBytes(copying: secret[32...]))
        let context = published(try contexts.seal(key, userName: "user", deviceID: "device"))
        let opened = try contexts.open(context, userName: number > 3 ? "other" : "user", deviceID: "device")
        return opened.rawRepresentation.withUnsafeBytes { Array($0) }
      },
    ]
  }

  /// A secret for contexts, and a scalar.
  private static var unlockKeys: [[UInt8]] {
    Array(zip(octets(32), Secrets.scalars(count: 6)).map { $0 + $1 })
  }

  // MARK: Native SSO

  private static var nativeSSO: [TaintedOperation] {
    [
      TaintedOperation("nsso.device-secret, right or wrong", decides: true, changes(32)) { change in
        let one = try DeviceSecret(Base64URL.encode([UInt8](repeating: 0, count: 32)))
        let other = try DeviceSecret(Base64URL.encode(change))
        return one.isSame(as: other) ? [1] : nil
      },
      TaintedOperation("nsso.device-secret, generated and hashed", [[0]]) { _ in
        let secret = DeviceSecret.random()
        return Array(secret.fingerprint.hexadecimal.utf8) + Array(secret.reveal().utf8)
      },
      TaintedOperation("nsso.ds_hash under a key, right or wrong", decides: true, numbered: octets(32)) { key, number in
        let binding = DSHashBinding.keyed(SecretBytes(copying: key))
        let secret = DeviceSecret.random()
        guard let value = binding.value(of: secret, signatureAlgorithm: "ES256") else { return nil }
        let claim = number > 3 ? published(value) + "A" : published(value)
        return binding.matches(claim, secret: secret, signatureAlgorithm: "ES256") ? Array(claim.utf8) : nil
      },
      TaintedOperation("nsso.ds_hash by each recipe", [[0]]) { _ in
        let secret = DeviceSecret.random()
        return DSHashRecipe.allCases.flatMap { recipe -> [UInt8] in
          let value = recipe.value(of: secret, signatureAlgorithm: "ES384") ?? ""
          return recipe.matches(published(value), secret: secret, signatureAlgorithm: "ES384") ? Array(value.utf8) : []
        }
      },
    ]
  }

  // MARK: Token refresh

  private static var tokenRefresh: [TaintedOperation] {
    [
      TaintedOperation("refresh-token, made and parsed", decides: true, numbered: octets(64)) { secret, number in
        let format = try RefreshTokenFormat(key: secret[..<32], previousKeys: [Array(secret[32...])])
        let maker = try RefreshTokenFormat(key: number % 2 == 0 ? secret[..<32] : secret[32...])
        guard let family = RefreshTokenFamily.ID(octets: [UInt8](repeating: 3, count: 16)) else { return nil }
        var token = published(maker.token(of: family, generation: 7))
        if number > 3 { token = token.replacing(".7.", with: ".8.") }
        return format.parse(token).map { _ in Array(token.utf8) }
      },
      TaintedOperation("oauth.code, made and hashed", [[0]]) { _ in
        let code = AuthorizationCodeText.make()
        return AuthorizationCodeText.hash(of: code)
      },
      TaintedOperation("oauth.code verifier, generated and checked", [[0]]) { _ in
        let pair = PKCE()
        let challenge = published(pair.challenge)
        return PKCE.isValid(verifier: pair.verifier, forChallenge: challenge) ? Array(challenge.utf8) : nil
      },
    ]
  }
}
