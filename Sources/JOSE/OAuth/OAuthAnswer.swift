import StrictJSON

/// What the answers of token endpoints and their siblings have in common, whichever protocol they belong to.
///
/// Source: RFC 6749 §5.1, §5.2 and appendix A.
package enum OAuthAnswer {
  /// What every answer is read within: 256 KiB, since tokens may be long, 16 levels, 256 members.
  package static let limits = JSONLimits(maximumByteCount: 256 * 1024, maximumDepth: 16, maximumMemberCount: 256)

  /// What a response means for the request, by its status and its OAuth error.
  package enum Verdict: Sendable {
    /// A success. The body says whether it is what was asked for.
    case answer
    /// The server refuses the request, with this code.
    case refused(WireName)
    /// The server did nothing and may be asked again. The code is `slow_down` for every 429.
    case busy(WireName)
    /// A refusal without an OAuth error: a proxy's page.
    case unusable
    /// A redirect, a timeout or a fault: whether the server has acted on the request is unknown.
    case unanswered
  }

  /// The one rule by which every client in the package judges a response.
  ///
  /// Servers create tokens with 201 as well as 200, and revoke with 204, so every success counts. A refusal is an OAuth
  /// error with a status of 400 to 499: what a server says while it is at fault ends no login.
  ///
  /// Source: RFC 6749 §5.2; RFC 9110 §15.3, §15.5.9; RFC 8470 §5.2; RFC 6585 §4.
  package static func verdict(on response: HTTPResponseValue) -> Verdict {
    switch response.status {
    case 200...299: return .answer
    case 429: return .busy("slow_down")
    default: break
    }
    let code = error(in: response.body)?.code
    if let code, busyCodes.contains(code) { return .busy(code) }
    guard (400...499).contains(response.status), response.status != 408, response.status != 425 else {
      return .unanswered
    }
    return code.map { .refused($0) } ?? .unusable
  }

  /// Codes by which a server asks for another attempt.
  private static let busyCodes: [WireName] = ["server_error", "slow_down", "temporarily_unavailable"]

  /// Requires an answer.
  ///
  /// - Throws: ``ErrorCode/serverRefused`` with the code as its name, if it is a registered one;
  ///   ``ErrorCode/serverUnavailable``.
  package static func requireAnswer(_ response: HTTPResponseValue) throws(JOSEError) {
    switch verdict(on: response) {
    case .answer: return
    case .refused(let code):
      throw JOSEError(.serverRefused, "the server refused the request", name: OAuthErrorName.registered(code.text))
    case .busy, .unusable, .unanswered: throw JOSEError(.serverUnavailable, "the server is at fault or too busy")
    }
  }

  /// The code and the members of an error response, or nil if the body isn't one: a JSON object in which `error` is
  /// written as OAuth's codes are, in lower case. A gateway's page has words there: `"error": "Forbidden"`.
  package static func error(in body: [UInt8]) -> (code: WireName, members: JSONObject)? {
    guard let object = try? JSONObject(parsing: body, limits: limits), let code = object["error"]?.stringValue,
      !code.isEmpty,
      code.utf8.allSatisfy({
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "_-.:/".utf8.contains($0)
      })
    else { return nil }
    return (WireName(code), object)
  }

  /// Whether a text holds a credential, as it is or as a form has it.
  package static func isEcho(_ text: String, of credentials: [String]) -> Bool {
    credentials.contains { credential in
      guard !credential.isEmpty else { return false }
      let encoded = FormFields([("", credential)]).encoded().dropFirst()
      return text.utf8.firstRange(of: credential.utf8) != nil || text.utf8.firstRange(of: encoded) != nil
    }
  }

  /// `expires_in` and its like: a number of seconds or, as some servers write it, a text of up to 15 digits. Nil for
  /// anything else.
  package static func seconds(_ value: JSONValue) -> Double? {
    switch value {
    case .number(let number): number.double
    case .string(let text): NumericDate(decimalDigits: text)?.secondsSince1970
    default: nil
    }
  }

  /// Whether a token, or its type, can stand in a header field: printable ASCII, and not empty.
  package static func isHeaderText(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Whether `token_type` is one of these, which are written in lower case. ASCII case does not count.
  package static func isType(_ type: String, among names: String...) -> Bool {
    names.contains(WireName(type.asciiLowercased))
  }
}
