import JOSE

extension FuzzTarget {
  static let httpTargets = [form, uri, headerFields, credentials]

  /// A form's body: what is read is written so that it is read again.
  private static let form = FuzzTarget(
    "form", maximumByteCount: 256,
    dictionary: ["&", "=", "+", "%20", "%2B", "%C3%A9", "%00", "%FF", "grant_type=", "&&", "=="],
    seeds: { _ in
      [
        "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=a.b.c&platform_sso_version=1.0",
        "a=1&b=2&a=3", "name=%C3%A9+x&empty=", "code=c1&state=s&user=%7B%7D",
      ].map { Array($0.utf8) }
    },
    run: { input in
      let kept = try? FormFields(decoding: input, acceptsDuplicates: true)
      let unique = try? FormFields(decoding: input)
      if let unique { try require(kept == unique, "a form without duplicates is the same form") }
      guard let kept else { return false }
      try require(try FormFields(decoding: kept.encoded(), acceptsDuplicates: true) == kept, "a form survives")
      try require(
        try FormFields(decoding: kept.encodedAsQuery().utf8, acceptsDuplicates: true) == kept, "a query survives")
      let names = Set(kept.fields.map { Array($0.name.utf8) })
      try require(
        (unique != nil) == (names.count == kept.fields.count), "a form is refused for a name that is there twice")
      let request = HTTPRequestValue.post(kept, to: "https://a.example/token")
      try require(try request.form(acceptsDuplicates: true) == kept, "a posted form is the form")
      return true
    })

  /// A URI and its parts.
  private static let uri = FuzzTarget(
    "uri", maximumByteCount: 192,
    dictionary: ["https://", "http://", "://", "[::1]", ":443", "@", "?", "#", "%2F", "//"],
    seeds: { _ in
      ["https://a.example:8443/p/q?x=1&y=%20#f", "com.example.app:/cb", "https://user@[::1]:1/", "urn:x:y"].map {
        Array($0.utf8)
      }
    },
    run: { input in
      guard let text = String(validating: input, as: UTF8.self), let uri = try? URIComponents(parsing: text) else {
        return false
      }
      let extended = uri.appendingQuery(["q": "a b", "é": "&="])
      guard let again = try? URIComponents(parsing: extended) else {
        throw LawBroken(description: "a URI with a query is a URI")
      }
      try require(
        again.host == uri.host && again.path == uri.path && again.port == uri.port, "a query changes nothing else")
      if uri.query?.isEmpty ?? true, let query = again.query {
        let fields = try FormFields(decoding: query.utf8)
        try require(fields.values("q") == ["a b"], "the query is the fields")
      }
      return true
    })

  /// Header fields, media types, and what is made of them.
  private static let headerFields = FuzzTarget(
    "header-fields", maximumByteCount: 192,
    dictionary: [
      "Content-Type", "application/x-www-form-urlencoded", "; charset=utf-8", "max-age=", "no-store", "\r\n", "\t",
    ],
    seeds: { _ in
      [
        InputParts.joined("Content-Type", "application/x-www-form-urlencoded; charset=utf-8"),
        InputParts.joined("Cache-Control", "max-age=60, no-store"),
      ]
    },
    run: { input in
      let parts = InputParts(input)
      var headers = HTTPHeaderFields()
      _ = MediaType.matches(parts.text(1), "application/json")
      _ = try? PercentEncoding.decode(parts.text(1))
      guard (try? headers.append(parts.text(0), parts.text(1))) != nil else { return false }
      let written = "\(parts.text(0)): \(headers.values(parts.text(0)).joined())"
      try require(!written.utf8.contains { $0 == 0x0D || $0 == 0x0A || $0 == 0 }, "no field breaks out of its line")
      let request = HTTPRequestValue(method: "POST", url: "/", headers: headers, body: Array("a=1".utf8))
      _ = try? request.form()
      try require(
        try PercentEncoding.decode(PercentEncoding.encode(parts.text(1))).utf8.elementsEqual(parts.text(1).utf8),
        "percent encoding is undone")
      return true
    })

  /// The value of an `Authorization` field.
  private static let credentials = FuzzTarget(
    "authorization-credentials", maximumByteCount: 128,
    dictionary: ["Bearer ", "DPoP ", "Basic ", "bearer  ", "\t", ",", "\u{212A}", "\u{0}"],
    seeds: { _ in ["Bearer abc.def", "dpop   x", "Basic YTpi", "Bearer a b", "Bearer "].map { Array($0.utf8) } },
    run: { input in
      let field = String(decoding: input, as: UTF8.self)
      for name in ["Bearer", "DPoP", "Basic"] {
        let octets = Array(field.utf8.prefix { $0 != 0x20 })
        let isSame = octets.count == name.utf8.count && zip(octets, name.utf8).allSatisfy { ($0 ^ $1) & 0xDF == 0 }
        // Two octets that differ in the bit of the case alone are the same letter only if they are letters.
        let areLetters = octets.allSatisfy { (0x41...0x5A).contains($0 & 0xDF) }
        try require(
          AuthorizationCredentials.isScheme(name, of: field) == (isSame && areLetters), "a scheme is ASCII without case"
        )
      }
      guard let read = AuthorizationCredentials(field) else { return false }
      try require(
        !read.token.isEmpty && read.token.utf8.allSatisfy { (0x21...0x7E).contains($0) }, "a token is visible ASCII")
      try require(!read.scheme.isEmpty && !read.scheme.utf8.contains(0x20), "a scheme is one word")
      let spaces = field.utf8.count - read.scheme.utf8.count - read.token.utf8.count
      let again = read.scheme + String(repeating: " ", count: spaces) + read.token
      try require(spaces > 0 && again.utf8.elementsEqual(field.utf8), "nothing but spaces stands between them")
      return true
    })
}
