import PureCrypto

extension Commands {
  static var encoding: [String: Command] {
    [
      "base64url encode": { request in
        let output = request.output(count: Base64Alphabet.encodedCount(request[0].count))
        output.withMemoryRebound(to: UInt8.self) { Base64Alphabet.url.encode(request[0], into: $0) }
        return [Array(output)]
      },
      // One field if the text is legal, none if not.
      "base64url decode": { request in
        guard let count = Base64Alphabet.decodedCount(request[0].count) else { return [] }
        let output = request.output(count: count)
        return Base64Alphabet.url.decode(request[0], into: output) ? [Array(output)] : []
      },
    ]
  }
}
