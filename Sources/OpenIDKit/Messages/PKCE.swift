import JOSE
import PureCrypto

/// A proof key for one authorization code, method S256.
///
/// Source: RFC 7636.
public struct PKCE: Sendable {
  private let verifierBytes: SecretBytes

  /// A fresh verifier of 256 random bits, as 43 characters.
  public init() {
    verifierBytes = Base64URL.encodeSecret(.random(count: 32))
  }

  /// A verifier that was made before.
  ///
  /// - Throws: `ErrorCode.configuration` unless it is 43 to 128 unreserved characters (RFC 7636 §4.1).
  public init(verifier: String) throws(OpenIDError) {
    guard Self.isLegal(verifier) else {
      throw OpenIDError(
        .configuration, "a code verifier is 43 to 128 unreserved characters", name: "code_verifier")
    }
    verifierBytes = SecretBytes(copying: verifier.utf8)
  }

  /// `code_verifier`, sent with the code. Secret until then.
  public var verifier: String { verifierBytes.unwipedText }

  /// `code_challenge`, sent with the authorization request.
  public var challenge: String { Base64URL.encode(verifierBytes.withBytes { SHA2.SHA256.hash($0) }) }

  /// Whether a verifier belongs to a challenge of method S256: the provider's side.
  ///
  /// Timing: depends on lengths, and on whether the verifier is legal.
  public static func isValid(verifier: String, forChallenge challenge: String) -> Bool {
    guard isLegal(verifier) else { return false }
    return ConstantTime.equal(Base64URL.encode(SHA2.SHA256.hash(verifier.utf8)).utf8, challenge.utf8)
  }

  /// Never inlined, so that what decides jumps here keeps a name of its own in a release build.
  @inline(never)
  private static func isLegal(_ verifier: String) -> Bool {
    (43...128).contains(verifier.utf8.count) && verifier.utf8.allSatisfy(\.isURIUnreserved)
  }
}

extension PKCE: Redacted {}
