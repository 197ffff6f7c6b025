import JOSE

/// Where requests to a provider go.
struct PlatformSSOAddresses: Sendable {
  /// What a request is for.
  enum Place: String, Sendable, CaseIterable {
    case keys = "/jwks"
    case registration = "/register"
    case userRegistration = "/register/user"
    case nonce = "/psso/nonce"
    case token = "/psso/token"
    case key = "/psso/key"
    case discovery = "/psso/discovery"
    case authorization = "/psso/authorize"
    case login = "/psso/login"
    /// Apple looks for it below the host, whatever path the provider's address has.
    case association = "/.well-known/apple-app-site-association"
  }

  private let base: String
  private let origin: String
  private let places: [WireName: Place]

  /// The places below an address.
  ///
  /// - Throws: `ErrorCode.callerMisuse`.
  init(_ address: String) throws(JOSEError) {
    guard let parts = try? URIComponents(parsing: address), PlainHTTP.refused.permits(parts), parts.query == nil,
      parts.fragment == nil, address.utf8.last != UInt8(ascii: "/")
    else {
      throw JOSEError(
        .callerMisuse, "the address is an https URL without query and without a slash at its end", name: "address")
    }
    (base, origin) = (address, parts.origin)
    let own = String(Substring(address.utf8.dropFirst(parts.origin.utf8.count)))
    let named = Place.allCases.map { (WireName($0 == .association ? $0.rawValue : own + $0.rawValue), $0) }
    places = Dictionary(uniqueKeysWithValues: named)
  }

  /// The whole address.
  func url(_ place: Place) -> String { base + place.rawValue }

  /// The address without the host.
  func path(_ place: Place) -> String { String(Substring(url(place).utf8.dropFirst(origin.utf8.count))) }

  /// What the URL of a request is for: a path with its query, or the whole address. Nil for another provider's.
  func place(of url: String) -> Place? {
    let location = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    let isWhole = location.starts(with: origin.utf8)
    return places[WireName(String(Substring(isWhole ? location.dropFirst(origin.utf8.count) : location[...])))]
  }
}
