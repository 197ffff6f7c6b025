import JOSE

/// A compact token of either kind, taken apart to be shown.
enum UnverifiedCompact {
  case signed(UnverifiedJWS)
  case encrypted(UnverifiedJWE)

  init(parsing text: String) throws(JOSEError) {
    if text.utf8.count(where: { $0 == 0x2E }) == 4 {
      self = .encrypted(try UnverifiedJWE(parsing: text))
    } else {
      self = .signed(try UnverifiedJWS(parsing: text))
    }
  }

  var header: ProtectedHeader {
    switch self {
    case .signed(let token): token.unverifiedHeader
    case .encrypted(let token): token.unverifiedHeader
    }
  }

  var signed: UnverifiedJWS? {
    if case .signed(let token) = self { token } else { nil }
  }
}
