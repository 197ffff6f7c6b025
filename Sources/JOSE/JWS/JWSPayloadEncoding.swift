/// How a payload enters the signature and the message.
///
/// Source: RFC 7797.
public enum JWSPayloadEncoding: Sendable {
  /// As base64url, the rule.
  case base64url
  /// As it is (`b64` false, named in `crit`), which spares a third of a large detached payload. Not for JWTs.
  case unencoded
}
