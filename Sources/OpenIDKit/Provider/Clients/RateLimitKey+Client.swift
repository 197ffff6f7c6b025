import JOSE

extension RateLimitKey {
  /// A client at a source address.
  package static func client(_ clientID: String, source: String) -> RateLimitKey { RateLimitKey("c", clientID, source) }
  /// A client and the user whose device secret it presented.
  package static func client(_ clientID: String, user: String) -> RateLimitKey { RateLimitKey("u", clientID, user) }
}
