import JOSE

/// The server that is signed in with: its name, its addresses and how it signs.
///
/// ``apple`` is Apple's own. Another value leads everything to a stand-in, with its issuer, for tests and staging.
public struct AppleService: Sendable, Hashable {
  /// `iss` of everything the service signs, and `aud` of client secrets. Compared as bytes.
  public var issuer: String
  /// Where the browser goes.
  public var authorizationURL: String
  /// Where codes and refresh tokens are exchanged.
  public var tokenURL: String
  /// Where tokens are revoked.
  public var revocationURL: String
  /// Where users are transferred to another team.
  public var userMigrationURL: String
  /// Where the key set lies.
  public var keysURL: String
  /// The names of the algorithms that the service signs with. Nothing else is accepted.
  ///
  /// A name that is not implemented is still recognised: its tokens are refused as
  /// `ErrorCode.algorithmUnsupported` instead of as somebody else's.
  public var signatureAlgorithmNames: [String]

  /// A service at other addresses.
  ///
  /// - Parameters:
  ///   - issuer: `iss` of everything the service signs.
  ///   - authorizationURL: where the browser goes.
  ///   - tokenURL: where codes and refresh tokens are exchanged.
  ///   - revocationURL: where tokens are revoked.
  ///   - userMigrationURL: where users are transferred; nil for `usermigrationinfo` beside the token address.
  ///   - keysURL: where the key set lies.
  ///   - signatureAlgorithmNames: the algorithms that the service signs with.
  public init(
    issuer: String, authorizationURL: String, tokenURL: String, revocationURL: String,
    userMigrationURL: String? = nil, keysURL: String, signatureAlgorithmNames: [String]
  ) {
    self.userMigrationURL = userMigrationURL ?? Self.sibling(of: tokenURL, named: "usermigrationinfo")
    (self.issuer, self.authorizationURL, self.tokenURL) = (issuer, authorizationURL, tokenURL)
    (self.revocationURL, self.keysURL) = (revocationURL, keysURL)
    self.signatureAlgorithmNames = signatureAlgorithmNames
  }

  private static func sibling(of url: String, named name: String) -> String {
    guard let slash = url.utf8.lastIndex(of: UInt8(ascii: "/")) else { return name }
    return String(Substring(url.utf8[...slash])) + name
  }

  /// Apple's own addresses, issuer and algorithms.
  public static let apple = AppleService(
    issuer: "https://appleid.apple.com", authorizationURL: "https://appleid.apple.com/auth/authorize",
    tokenURL: "https://appleid.apple.com/auth/token", revocationURL: "https://appleid.apple.com/auth/revoke",
    keysURL: "https://appleid.apple.com/auth/keys", signatureAlgorithmNames: ["RS256"])

  /// Those of the service's algorithms that are implemented. The one place where names become algorithms: a name that
  /// `JOSE` learns to verify is accepted from then on.
  var signatureAlgorithms: [SignatureAlgorithm] {
    signatureAlgorithmNames.compactMap { SignatureAlgorithm(name: $0) }
  }
}
