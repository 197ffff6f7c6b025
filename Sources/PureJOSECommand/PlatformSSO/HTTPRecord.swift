import JOSE

/// HTTP messages as JSON: `{"method", "url", "headers", "body"}` for a request, `{"status", "headers", "body"}` for a
/// response.
///
/// A header that is there several times has an array of values. Bodies are text, as all of this protocol's are.
enum HTTPRecord {
  static func write(_ request: HTTPRequestValue) -> [UInt8] {
    line([
      "method": .string(request.method), "url": .string(request.url), "headers": headers(request.headers),
      "body": .string(String(decoding: request.body, as: UTF8.self)),
    ])
  }

  static func write(_ response: HTTPResponseValue) -> [UInt8] {
    line([
      "status": .number(JSONNumber(response.status)), "headers": headers(response.headers),
      "body": .string(String(decoding: response.body, as: UTF8.self)),
    ])
  }

  /// Reads a request.
  static func request(_ bytes: [UInt8]) throws(CommandFailure) -> HTTPRequestValue {
    let object = try parsed(bytes, "request")
    guard let method = object["method"]?.stringValue, let url = object["url"]?.stringValue,
      let headers = readHeaders(object["headers"]), let body = readBody(object["body"]),
      object.names.allSatisfy({ ["method", "url", "headers", "body"].contains($0) })
    else { throw .invalid("the request is not of the form {\"method\", \"url\", \"headers\", \"body\"}") }
    return HTTPRequestValue(method: method, url: url, headers: headers, body: body)
  }

  /// Reads a response: JSON, or what `curl -i` writes.
  static func response(_ bytes: [UInt8]) throws(CommandFailure) -> HTTPResponseValue {
    if bytes.starts(with: Array("HTTP/".utf8)) { return try HTTPText.response(bytes) }
    let object = try parsed(bytes, "response")
    guard let number = object["status"]?.int64Value, let status = Int(exactly: number), (100...599).contains(status),
      let headers = readHeaders(object["headers"]), let body = readBody(object["body"]),
      object.names.allSatisfy({ ["status", "headers", "body"].contains($0) })
    else { throw .invalid("the response is not of the form {\"status\", \"headers\", \"body\"}") }
    return HTTPResponseValue(status: status, headers: headers, body: body)
  }

  private static func line(_ object: JSONObject) -> [UInt8] { Visible.lines(object) }

  private static func parsed(_ bytes: [UInt8], _ what: String) throws(CommandFailure) -> JSONObject {
    do throws(JSONError) {
      return try JSONObject(parsing: bytes)
    } catch {
      throw .invalid("the \(what) is not a strict JSON object: \(error)")
    }
  }

  private static func headers(_ headers: HTTPHeaderFields) -> JSONValue {
    var object = JSONObject()
    for (name, _) in headers.fields where object[name] == nil {
      let values = headers.fields.filter { $0.name.utf8.elementsEqual(name.utf8) }.map { JSONValue.string($0.value) }
      object[name] = values.count == 1 ? values[0] : .array(values)
    }
    return .object(object)
  }

  private static func readHeaders(_ value: JSONValue?) -> HTTPHeaderFields? {
    guard let value else { return HTTPHeaderFields() }
    guard let object = value.objectValue else { return nil }
    var fields: [(String, String)] = []
    for (name, value) in object.members {
      let values = value.arrayValue ?? [value]
      let texts = values.compactMap(\.stringValue)
      guard texts.count == values.count else { return nil }
      fields += texts.map { (name, $0) }
    }
    return try? HTTPHeaderFields(fields)
  }

  private static func readBody(_ value: JSONValue?) -> [UInt8]? {
    guard let value else { return [] }
    return value.stringValue.map { Array($0.utf8) }
  }
}
