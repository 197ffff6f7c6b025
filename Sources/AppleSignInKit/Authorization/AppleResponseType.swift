import StrictJSON

/// A `response_type` of an authorization. There is no `id_token` alone: Apple does not support it.
public enum AppleResponseType: String, Sendable, Hashable {
  /// A code alone.
  case code
  /// A code, and an identity token beside it.
  case codeAndIdentityToken = "code id_token"
}
