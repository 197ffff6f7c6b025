import JOSE

extension HTTPResponseValue {
  /// The answer while the database can't be read.
  package static var unavailable: HTTPResponseValue {
    var response = json(["error": "temporarily_unavailable"], status: 503)
    try? response.headers.set("Retry-After", "1")
    return response
  }

  /// A JSON response that no cache may store.
  package static func json(_ body: JSONObject, status: Int = 200) -> HTTPResponseValue {
    var response = HTTPResponseValue(status: status, body: body.serialized())
    try? response.headers.append("Content-Type", "application/json")
    try? response.headers.append("Cache-Control", "no-store")
    return response
  }
}
