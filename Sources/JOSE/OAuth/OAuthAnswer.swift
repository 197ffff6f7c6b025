import StrictJSON

/// What the answers of token endpoints have in common, whichever protocol they belong to.
///
/// Source: RFC 6749 §5.1 and appendix A.
package enum OAuthAnswer {
  /// What every answer is read within: 64 KiB, 8 levels, 64 members.
  package static let limits = JSONLimits(maximumByteCount: 64 * 1024, maximumDepth: 8, maximumMemberCount: 64)

  /// `error` of an error response, or nil if the body is none: a JSON object in which it is written as OAuth's codes
  /// are, in lower case. A gateway's page has words there: `"error": "Forbidden"`.
  package static func errorCode(in body: [UInt8]) -> String? { error(in: body)?.code }

  /// The same code, with the members that stand beside it.
  package static func error(in body: [UInt8]) -> (code: String, members: JSONObject)? {
    guard let object = try? JSONObject(parsing: body, limits: limits), let code = object["error"]?.stringValue,
      !code.isEmpty,
      code.utf8.allSatisfy({
        (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || "_-.:/".utf8.contains($0)
      })
    else { return nil }
    return (code, object)
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
    case .string(let text):
      (1...15).contains(text.utf8.count) && text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Double(text) : nil
    default: nil
    }
  }

  /// Whether a token, or its type, can stand in a header field: printable ASCII, and not empty.
  package static func isHeaderText(_ text: String) -> Bool {
    !text.isEmpty && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }
  }

  /// Whether `token_type` is one of these, which are written in lower case. ASCII case does not count.
  package static func isType(_ type: String, among names: String...) -> Bool {
    let folded = type.asciiLowercased
    return names.contains { $0.hasSameBytes(as: folded) }
  }
}
