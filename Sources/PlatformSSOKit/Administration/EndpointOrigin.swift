import JOSE

/// The beginning of an address: scheme, host and port, with a slash behind.
enum EndpointOrigin {
  static func of(_ url: String) -> String? {
    guard let uri = try? URIComponents(parsing: url), let host = uri.host, !host.isEmpty, uri.userInfo == nil else {
      return nil
    }
    let port = uri.port.map { ":\($0)" } ?? ""
    return "\(uri.scheme.asciiLowercased)://\(host.asciiLowercased)\(port)/"
  }

  /// Whether an address begins with a prefix of a profile: scheme and host without regard to case, the path exactly.
  static func url(_ url: String, beginsWith prefix: String) -> Bool {
    guard let origin = of(url), let expected = of(prefix), origin.utf8.elementsEqual(expected.utf8),
      let path = (try? URIComponents(parsing: url))?.path, let start = (try? URIComponents(parsing: prefix))?.path
    else { return false }
    return (path.isEmpty ? "/" : path).utf8.starts(with: (start.isEmpty ? "/" : start).utf8)
  }
}

extension LoginConfiguration {
  /// The addresses that a Mac sends requests to, each with the property's name.
  var endpoints: [(name: String, url: String)] {
    let optional: [(String, String?)] = [
      ("nonceEndpointURL", nonceEndpointURL), ("refreshEndpointURL", refreshEndpointURL),
      ("keyEndpointURL", keyEndpointURL), ("federationUserPreauthenticationURL", federationUserPreauthenticationURL),
    ]
    return [("tokenEndpointURL", tokenEndpointURL), ("jwksEndpointURL", jwksEndpointURL)]
      + optional.compactMap { name, url in url.map { (name, $0) } }
  }
}
