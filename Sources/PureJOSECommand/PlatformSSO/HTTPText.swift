import JOSE

/// HTTP messages as the program `curl` reads and writes them.
enum HTTPText {
  /// A request as a configuration for `curl --config -`.
  static func curlConfiguration(_ request: HTTPRequestValue) -> String {
    "url = \(quoted(request.url))\n" + curlOptions(request)
  }

  /// The same without the URL.
  static func curlOptions(_ request: HTTPRequestValue) -> String {
    var lines = ["request = \(quoted(request.method))"]
    for (name, value) in request.headers.fields { lines.append("header = \(quoted("\(name): \(value)"))") }
    if !request.body.isEmpty {
      lines.append("data-raw = \(quoted(String(decoding: request.body, as: UTF8.self)))")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  static func quoted(_ text: String) -> String {
    // A line feed would end the option, and begin another one.
    let escapes =
      ["\\": "\\\\", "\"": "\\\"", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\u{B}": "\\v"] as [UnicodeScalar: String]
    return "\"" + text.unicodeScalars.map { escapes[$0] ?? String($0) }.joined() + "\""
  }

  /// A response as `curl -i` writes it: status line, header, empty line, body. Responses before the final one are
  /// passed over.
  static func response(_ bytes: [UInt8]) throws(CommandFailure) -> HTTPResponseValue {
    let malformed = CommandFailure.invalid("the response is not an HTTP message")
    var rest = bytes[...]
    while true {
      guard let statusLine = line(&rest) else { throw malformed }
      let parts = statusLine.split(separator: 0x20, maxSplits: 2, omittingEmptySubsequences: false)
      guard parts.count >= 2, parts[0].starts(with: Array("HTTP/".utf8)),
        let status = Int(String(decoding: parts[1], as: UTF8.self)), (100...599).contains(status)
      else { throw malformed }
      var headers = HTTPHeaderFields()
      while true {
        guard var field = line(&rest).map({ Array($0) }) else { throw malformed }
        if field.isEmpty { break }
        // A line that begins with a blank goes on with the field before it (RFC 9112 §5.2).
        while let next = rest.first, next == 0x20 || next == 0x09, let more = line(&rest) {
          field += [0x20] + more.drop(while: \.isBlank)
        }
        guard let colon = field.firstIndex(of: 0x3A) else { throw malformed }
        let value = field[(colon + 1)...].drop(while: \.isBlank).reversed().drop(while: \.isBlank).reversed()
        do throws(JOSEError) {
          try headers.append(
            String(decoding: field[..<colon], as: UTF8.self), String(decoding: Array(value), as: UTF8.self))
        } catch {
          throw malformed
        }
      }
      guard status < 200 else { return HTTPResponseValue(status: status, headers: headers, body: Array(rest)) }
    }
  }

  /// Cuts off a line, without its end; nil if no line end is left.
  private static func line(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    guard let end = rest.firstIndex(of: 0x0A) else { return nil }
    let line = rest[..<end]
    rest = rest[(end + 1)...]
    return line.last == 0x0D ? line.dropLast() : line
  }
}
