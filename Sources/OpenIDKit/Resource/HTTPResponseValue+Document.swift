import JOSE
import StrictJSON

/// Answers to requests of every method, and what pages of other origins may read of them.
extension HTTPResponseValue {
  /// A document that browsers and programs may cache for this many seconds.
  static func document(_ object: JSONObject, lifetime: Int) -> HTTPResponseValue {
    document(object.serialized(), lifetime: lifetime)
  }

  /// The same as text.
  static func document(
    _ body: [UInt8], lifetime: Int, mediaType: String = MediaType.json
  ) -> HTTPResponseValue {
    HTTPResponseValue(
      status: 200,
      headers: HTTPHeaderFields(known: [
        (name: "Content-Type", value: mediaType), (name: "Cache-Control", value: "max-age=\(lifetime)"),
      ]), body: body)
  }

  /// The answer to a request for a document that is at an address; nil for a request for anything else.
  ///
  /// - Parameter request: as it came; the address as the server's clients know it, or a path.
  static func document(_ object: JSONObject, at url: String, for request: HTTPRequestValue) -> HTTPResponseValue? {
    let isPath = request.url.utf8.first == UInt8(ascii: "/")
    let origin = isPath ? (try? URIComponents(parsing: url))?.origin ?? "" : ""
    let place = WireName(String(Substring(url.utf8.dropFirst(origin.utf8.count))))
    guard place == request.url else { return nil }
    var response = answer(toMethodOf: request, allowed: ["GET", "HEAD"]) ?? document(object, lifetime: 3600)
    if request.hasMethod("HEAD") { response.body = [] }
    return response.readableByAll(request)
  }

  /// The answer to `OPTIONS`, and to a method that the endpoint doesn't have; nil for one that it has.
  static func answer(toMethodOf request: HTTPRequestValue, allowed methods: [WireName]) -> HTTPResponseValue? {
    if request.hasMethod("OPTIONS") { return .unstored(204, mediaType: nil) }
    guard !methods.contains(request.method) else { return nil }
    let names = (methods + ["OPTIONS"]).map(\.text).joined(separator: ", ")
    return .unstored(405, mediaType: nil, [("Allow", names)])
  }

  /// The response, for pages of an origin to read, without cookies.
  ///
  /// - Parameters:
  ///   - origin: whose pages; `*` for all.
  ///   - headers: those that they may send.
  ///   - methods: those of the endpoint.
  ///
  /// Source: Fetch Standard §3.3; RFC 9700 §2.6.
  func readable(
    from origin: String, by request: HTTPRequestValue, headers: String, methods: [WireName]
  ) -> HTTPResponseValue {
    var response = self
    var fields = [
      ("Access-Control-Allow-Origin", origin),
      ("Access-Control-Expose-Headers", "DPoP-Nonce, WWW-Authenticate, Retry-After"),
    ]
    if request.isPreflight {
      fields += [
        ("Access-Control-Allow-Headers", headers),
        ("Access-Control-Allow-Methods", methods.map(\.text).joined(separator: ", ")),
        ("Access-Control-Max-Age", "600"),
      ]
    }
    for (name, value) in fields { try? response.headers.set(name, value) }
    return response
  }

  /// The response, for every page to read: a document that anybody may have.
  func readableByAll(_ request: HTTPRequestValue) -> HTTPResponseValue {
    // The asterisk stands for every header but this one.
    readable(from: "*", by: request, headers: "*, authorization", methods: ["GET", "HEAD"])
  }
}

extension HTTPRequestValue {
  /// Whether a browser asks by it what a page may send.
  var isPreflight: Bool {
    hasMethod("OPTIONS") && !headers.values("Access-Control-Request-Method").isEmpty
  }
}
