import JOSE
import StrictJSON

/// Where requests to a provider go.
struct ProviderAddresses: Sendable {
  let issuer: String
  /// The issuer's address without its path.
  let origin: String
  private let endpoints: [WireName: Endpoint]

  /// - Parameter address: the issuer's.
  init(issuer: String, _ address: URIComponents) {
    self.issuer = issuer
    origin = address.origin
    let own = String(Substring(issuer.utf8.dropFirst(origin.utf8.count)))
    endpoints = Dictionary(Self.endpoints(below: own).map { (WireName($0.path), $0.endpoint) }) { first, _ in first }
  }

  /// What answers at an address, if programs ask there.
  func endpoint(at url: String) -> Endpoint? {
    let location = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
    guard location.starts(with: origin.utf8) else { return nil }
    return endpoints[WireName(String(Substring(location.dropFirst(origin.utf8.count))))]
  }

  /// What programs ask, with the path behind the origin of an issuer that has a path of its own or none.
  static func endpoints(below own: String) -> [(path: String, endpoint: Endpoint)] {
    // RFC 8414 §3.1 writes the issuer's path behind the well-known name, OpenID Connect Discovery §4 before it.
    let metadata = ["/.well-known/openid-configuration", "/.well-known/oauth-authorization-server"].flatMap { name in
      own.isEmpty ? [name] : [own + name, name + own]
    }
    return metadata.map { ($0, .metadata) }
      + paths.filter { ![.authorization, .endSession].contains($0.key) }.map { (own + $0.value, .place($0.key)) }
  }

  enum Endpoint {
    case metadata
    case place(Place)

    var methods: [WireName] {
      switch self {
      case .metadata, .place(.keys), .place(.statusList): Self.reading
      case .place(.userInfo): Self.either
      case .place: Self.posting
      }
    }

    private static let (reading, posting): ([WireName], [WireName]) = (["GET", "HEAD"], ["POST"])
    private static let either: [WireName] = ["GET", "HEAD", "POST"]
  }

  /// Where requests go, behind the issuer's address.
  enum Place: Sendable, CaseIterable {
    case authorization, token, userInfo, keys, pushedAuthorization, deviceAuthorization, introspection, revocation
    case endSession, statusList

    /// The member of the metadata, if there is one: tokens say themselves where their status is.
    var member: String? {
      switch self {
      case .authorization: "authorization_endpoint"
      case .token: "token_endpoint"
      case .userInfo: "userinfo_endpoint"
      case .keys: "jwks_uri"
      case .pushedAuthorization: "pushed_authorization_request_endpoint"
      case .deviceAuthorization: "device_authorization_endpoint"
      case .introspection: "introspection_endpoint"
      case .revocation: "revocation_endpoint"
      case .endSession: "end_session_endpoint"
      case .statusList: nil
      }
    }

    /// Whether it is of no use where no users log in.
    var isForUsers: Bool {
      switch self {
      case .authorization, .userInfo, .pushedAuthorization, .deviceAuthorization, .endSession: true
      case .token, .keys, .introspection, .revocation, .statusList: false
      }
    }
  }

  static let paths: KeyValuePairs<Place, String> = [
    .authorization: "/authorize", .token: "/token", .userInfo: "/userinfo", .keys: "/jwks",
    .pushedAuthorization: "/par", .deviceAuthorization: "/device_authorization", .introspection: "/introspect",
    .revocation: "/revoke", .endSession: "/logout", .statusList: "/statuslist",
  ]
}
