import JOSE

/// Header fields that a profile tells Macs to add to their requests (macOS 27.2): `AdditionalHTTPHeaders`.
///
/// They go with nonce, preauthentication, login, key and key exchange requests; Apple does not name refresh requests.
/// There are at most 20, names have at most 128 characters and values 2048.
///
/// Source: Apple, device management, Extensible Single Sign-on configuration.
public struct AdditionalHTTPHeaders: Sendable, Equatable {
  /// The fields, in the order given.
  public let fields: FormFields

  /// No fields, which is what a profile without the setting says.
  public static let none = AdditionalHTTPHeaders()

  private init() { fields = [:] }

  /// Some fields.
  ///
  /// - Throws: `ErrorCode.limitExceeded` for more or longer ones, `ErrorCode.fieldInvalid`
  ///   for one that is none of HTTP, that is there twice, or that a request has of its own.
  public init(_ fields: FormFields) throws(JOSEError) {
    guard fields.fields.count <= 20 else {
      throw JOSEError(
        .limitExceeded, "there are at most 20 additional header fields", name: "AdditionalHTTPHeaders")
    }
    var names: Set<WireName> = []
    for field in fields.fields {
      guard field.name.unicodeScalars.count <= 128,
        field.value.unicodeScalars.count <= 2048
      else {
        throw JOSEError(
          .limitExceeded, "a name has at most 128 characters, a value 2048", name: "AdditionalHTTPHeaders")
      }
      let name = WireName(field.name.asciiLowercased)
      guard (try? HTTPHeaderFields([(field.name, field.value)])) != nil, !Self.reserved.contains(name),
        names.insert(name).inserted
      else {
        throw JOSEError(
          .fieldInvalid, "a header is invalid, duplicated or reserved",
          name: "AdditionalHTTPHeaders")
      }
    }
    self.fields = fields
  }

  /// What requests have of their own, and what decides how a connection is read.
  private static let reserved: Set<WireName> = [
    "accept", "authorization", "client-request-id", "connection", "content-length", "content-type", "cookie", "host",
    "te", "trailer", "transfer-encoding", "upgrade",
  ]

  /// Requires that a request has these fields with these values.
  func check(_ request: HTTPRequestValue) throws(JOSEError) {
    for field in fields.fields {
      let values = request.headers.values(field.name)
      guard !values.isEmpty else {
        throw JOSEError(.fieldMissing, "the header field is absent", name: field.name)
      }
      guard values.wireNames == [WireName(field.value)] else {
        throw JOSEError(.fieldInvalid, "the header field must have the profile's value", name: field.name)
      }
    }
  }

  /// The fields of a request, with these behind them.
  func added(to fields: [(String, String)]) -> [(String, String)] {
    fields + self.fields.fields.map { ($0.name, $0.value) }
  }
}
