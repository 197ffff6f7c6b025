/// Whether who shows an ``SDJWT`` must prove to be its holder. The verifier decides, and never what is shown.
///
/// Source: RFC 9901 §7.3.
public struct KeyBindingPolicy: Sendable {
  struct Requirement: Sendable {
    let audience: String
    let nonce: String
    let maximumAge: Duration
    let algorithms: [SignatureAlgorithm]
  }

  enum Kind: Sendable {
    case required(Requirement)
    case forbidden
    case ignored
  }

  let kind: Kind

  /// The token must be bound, to this verifier and this nonce, not longer ago than this, by the key in `cnf`.
  ///
  /// - Parameters:
  ///   - audience: what the proof's `aud` must be, byte for byte: a URL, a client identifier with its prefix, an
  ///     origin.
  ///   - nonce: the one that was given for this presentation alone. See to it that it is accepted once.
  ///   - maximumAge: of the proof. The policy's leeway is added.
  ///   - algorithms: of the holder's signature.
  public static func required(
    audience: String, nonce: String, maximumAge: Duration = .seconds(300),
    algorithms: [SignatureAlgorithm] = [.es256, .es384, .es512, .ed25519]
  ) -> KeyBindingPolicy {
    KeyBindingPolicy(
      kind: .required(
        Requirement(audience: audience, nonce: nonce, maximumAge: maximumAge, algorithms: algorithms)))
  }

  /// The token must not be bound: it is what an issuer has just given to its holder.
  public static let forbidden = KeyBindingPolicy(kind: .forbidden)

  /// A binding may be there or not. It is not looked at, and ``VerifiedSDJWT/keyBinding`` is nil.
  public static let ignored = KeyBindingPolicy(kind: .ignored)
}
