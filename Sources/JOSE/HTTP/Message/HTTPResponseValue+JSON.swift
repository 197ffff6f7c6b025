import StrictJSON

extension HTTPResponseValue {
  /// A response that nothing on the way keeps: it holds tokens, or what they are asked for with.
  ///
  /// Source: RFC 6749 §5.1.
  ///
  /// - Parameters:
  ///   - mediaType: of the body; nil where there is none.
  ///   - more: further fields, of values that this package made itself.
  package static func unstored(
    _ status: Int, mediaType: String?, body: [UInt8] = [], _ more: [(String, String)] = []
  ) -> HTTPResponseValue {
    let type = mediaType.map { [("Content-Type", $0)] } ?? []
    let fields = type + [("Cache-Control", "no-store"), ("Pragma", "no-cache")] + more
    return HTTPResponseValue(status: status, headers: HTTPHeaderFields(known: fields), body: body)
  }

  /// A response of JSON that nothing on the way keeps.
  package static func json(
    _ status: Int, _ object: JSONObject, _ more: [(String, String)] = []
  ) -> HTTPResponseValue {
    unstored(status, mediaType: MediaType.json, body: object.serialized(), more)
  }

  /// An error response of OAuth's.
  ///
  /// Source: RFC 6749 §5.2.
  ///
  /// - Parameters:
  ///   - error: `error`, the one member by which clients decide.
  ///   - members: what stands beside it.
  ///   - retryAfter: how long until another attempt may succeed, sent as whole seconds, rounded up; nil says nothing
  ///     about it.
  ///   - request: what is answered. A client that was not authenticated learns the scheme if it used the
  ///     `Authorization` field; nothing else gets a challenge.
  package static func oauthError(
    _ status: Int, _ error: String, _ members: JSONObject = [:], retryAfter: Duration? = nil,
    to request: HTTPRequestValue? = nil
  ) -> HTTPResponseValue {
    var object: JSONObject = ["error": .string(error)]
    for (name, value) in members.members { object[name] = value }
    var more = retryAfter.map { [("Retry-After", String(Int(min(max($0.inSeconds, 0), 1e9).rounded(.up))))] } ?? []
    if WireName(error) == "invalid_client", let request, !request.headers.values("Authorization").isEmpty {
      more.append(("WWW-Authenticate", "Basic realm=\"token\", charset=\"UTF-8\""))
    }
    return json(status, object, more)
  }

  /// The error response where a store or a key can't be used now: the sender comes again.
  package static var temporarilyUnavailable: HTTPResponseValue {
    oauthError(503, "temporarily_unavailable", retryAfter: unavailablePause)
  }

  /// How long who comes again waits where a store or a key can't be used.
  package static let unavailablePause = Duration.seconds(30)
}
