/// A document that an issuer publishes: a key set, or metadata.
enum IssuerDocument {
  /// The text of an answer, without a byte order mark.
  static func text(of answer: HTTPResponseValue) -> [UInt8] {
    answer.body.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(answer.body.dropFirst(3)) : answer.body
  }

  /// What callers are told of an answer that can't be read. It says nothing of the token that needs it.
  ///
  /// - Parameters:
  ///   - error: what its reader threw. A document that is too long, or that can be read and is another issuer's, is
  ///     called so.
  ///   - name: `keys` or `metadata`.
  static func fault(_ error: JOSEError, of answer: HTTPResponseValue, name: String) -> JOSEError {
    guard error.code == .malformed else { return error }
    return JOSEError(.externalKeyFailed, cause(answer), name: name)
  }

  private static func cause(_ answer: HTTPResponseValue) -> StaticString {
    // gzip's first octets (RFC 1952 §2.3.1): some servers don't say that they compress.
    guard !answer.headers.isCoded, !answer.body.starts(with: [0x1F, 0x8B]) else {
      return "the issuer's document is compressed, which was not asked for: its server or CDN must send it as it is"
    }
    let first = text(of: answer).first { ![0x09, 0x0A, 0x0D, 0x20].contains($0) }
    return switch first {
    case UInt8(ascii: "<"):
      "the issuer's document is HTML and not JSON: a proxy or a login page has answered, or the URL is another one"
    case nil: "the issuer's document is empty"
    default: "the issuer's document can't be read as JSON of its kind"
    }
  }
}
