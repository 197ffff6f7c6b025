import JOSE

extension FuzzTarget {
  static let encodingTargets = [base64url, base64]

  /// base64url: the decoder against a second, obvious one, and both directions.
  static let base64url = FuzzTarget(
    "base64url", maximumByteCount: 96,
    seeds: { try $0.texts("base64url.json", member: "encoded") + $0.texts("base64url.json", member: "decoded") },
    run: { input in
      let decoded = try? Base64URL.decode(utf8: input)
      let expected = ObviousBase64.decode(input, symbols: [0x2D, 0x5F])
      try require(decoded == expected, "both decoders agree")
      if let decoded { try require(Array(Base64URL.encode(decoded).utf8) == input, "one text for each octet string") }
      try require(try Base64URL.decode(Base64URL.encode(input)) == input, "decoding undoes encoding")
      return decoded != nil
    })

  /// base64 with padding, as certificates and Platform SSO use it.
  static let base64 = FuzzTarget(
    "base64", maximumByteCount: 96,
    seeds: { try $0.texts("base64url.json", member: "encoded").map { $0 + [0x3D] } },
    run: { input in
      try require(try Base64.decode(Base64.encode(input)) == input, "decoding undoes encoding")
      guard let text = String(validating: input, as: UTF8.self) else { return false }
      let decoded = try? Base64.decode(text)
      try require(decoded == ObviousBase64.decodePadded(input), "both decoders agree")
      if let decoded { try require(Array(Base64.encode(decoded).utf8) == input, "one text for each octet string") }
      return decoded != nil
    })
}
