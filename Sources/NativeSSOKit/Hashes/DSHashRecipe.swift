import JOSE
import PureCrypto
import StrictJSON

/// How `ds_hash` is made of a device secret.
///
/// The drafts leave this to the provider. The default is what the SDK profile fixes and what clients can check.
public enum DSHashRecipe: String, Sendable, Hashable, CaseIterable {
  /// First 16 bytes of SHA-256, base64url: 22 characters.
  case leftHalfSHA256
  /// As `at_hash`: the hash that the ID token's `alg` names, left half, base64url: 22, 32 or 43 characters.
  case leftHalfByAlgorithm = "leftHalfByAlg"
  /// All of SHA-256, base64url: 43 characters.
  case fullSHA256Base64URL
  /// All of SHA-256, lower-case hexadecimal: 64 characters.
  case fullSHA256Hex

  /// The value for a secret, or nil if the recipe needs an algorithm whose hash is not implemented.
  ///
  /// - Parameters:
  ///   - secret: hashed as the bytes of its text, not decoded.
  ///   - signatureAlgorithm: `alg` of the ID token that is going to carry the value.
  /// Timing: depends on the secret's length only.
  package func value(of secret: DeviceSecret, signatureAlgorithm: String) -> String? {
    switch self {
    case .leftHalfSHA256: secret.leftHalfHash(.es256)
    case .leftHalfByAlgorithm:
      SignatureAlgorithm(name: signatureAlgorithm).map { secret.leftHalfHash($0) }
    case .fullSHA256Base64URL: Base64URL.encode(secret.sha256)
    case .fullSHA256Hex: secret.sha256.description
    }
  }

  /// Whether `claim` is the value for the secret.
  ///
  /// Timing: depends on lengths only.
  package func matches(_ claim: String, secret: DeviceSecret, signatureAlgorithm: String) -> Bool {
    guard let value = value(of: secret, signatureAlgorithm: signatureAlgorithm) else { return false }
    return ConstantTime.equal(value.utf8, claim.utf8)
  }

  /// The recipes whose values look like this one, by length and alphabet.
  static func candidates(for claim: String) -> [DSHashRecipe] {
    let bytes = claim.utf8
    switch bytes.count {
    case 22: return [.leftHalfSHA256, .leftHalfByAlgorithm]
    case 32: return [.leftHalfByAlgorithm]
    case 43: return [.fullSHA256Base64URL, .leftHalfByAlgorithm]
    case 64: return bytes.allSatisfy(\.isLowerCaseHexadecimal) ? [.fullSHA256Hex] : []
    default: return []
    }
  }
}

/// What a client could find out about a `ds_hash`.
package enum DSHashFinding: Sendable, Hashable {
  /// It is the value for the secret under this recipe.
  case verified(DSHashRecipe)
  /// It matches no recipe known here, and none is configured. It proves nothing, and refutes nothing.
  case unverifiable
  /// It is not the value under the configured recipe.
  case mismatch

  /// Checks a claim.
  ///
  /// - Parameters:
  ///   - claim: `ds_hash` as it stands in a verified ID token.
  ///   - secret: the one that came with that token.
  ///   - signatureAlgorithm: `alg` of that token.
  ///   - configured: the recipe that this provider is known to use, or nil to try those that fit the value's shape.
  package init(_ claim: String, secret: DeviceSecret, signatureAlgorithm: String, configured: DSHashRecipe?) {
    if let configured {
      let matches = configured.matches(claim, secret: secret, signatureAlgorithm: signatureAlgorithm)
      self = matches ? .verified(configured) : .mismatch
      return
    }
    for recipe in DSHashRecipe.candidates(for: claim)
    where recipe.matches(claim, secret: secret, signatureAlgorithm: signatureAlgorithm) {
      self = .verified(recipe)
      return
    }
    self = .unverifiable
  }
}

/// How a provider binds device secrets to its ID tokens.
public enum DSHashBinding: Sendable {
  /// By a recipe that clients can check too.
  case recipe(DSHashRecipe)
  /// By HMAC-SHA-256 under a key of the provider's own, in base64url. No client can check it.
  case keyed(SecretBytes)

  /// The value for a secret.
  package func value(of secret: DeviceSecret, signatureAlgorithm: String) -> String? {
    switch self {
    case .recipe(let recipe): recipe.value(of: secret, signatureAlgorithm: signatureAlgorithm)
    case .keyed(let key): Base64URL.encode(secret.authenticationCode(key: key))
    }
  }

  /// Whether `claim` binds the secret.
  ///
  /// Timing: depends on lengths only.
  package func matches(_ claim: String, secret: DeviceSecret, signatureAlgorithm: String) -> Bool {
    guard let value = value(of: secret, signatureAlgorithm: signatureAlgorithm) else { return false }
    return ConstantTime.equal(value.utf8, claim.utf8)
  }
}
