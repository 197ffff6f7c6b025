import PureCrypto

/// An HTTP response as a plain value, for any client or server to carry.
///
/// Descriptions show neither values of fields nor the body, because both carry credentials.
public struct HTTPResponseValue: Sendable, Equatable {
  /// The status code, such as 200.
  public var status: Int
  /// The header fields.
  public var headers: HTTPHeaderFields
  /// The body; empty for none.
  public var body: [UInt8]

  /// A response made of its parts.
  public init(status: Int, headers: HTTPHeaderFields = HTTPHeaderFields(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

extension HTTPResponseValue: Redacted {
  /// The status, names of fields, and the size of the body.
  public var description: String { "\(status) \(headers) \(body.count) bytes" }
}
