import PureJOSEBenchmarking
import JOSE
import StrictJSON

/// How long it takes to refuse a megabyte of what costs a careless parser most. Each must stay linear: milliseconds,
/// whatever the text.
enum HostileWorkloads {
  private static let byteCount = 1_000_000

  static func all() throws -> [Workload] {
    let key = try SigningKey.generate(.hs256)
    return json() + base64url() + tokens(key) + headers(key) + keySets() + [try targets(), replays()]
  }

  private static func repeated(_ text: String, _ count: Int = byteCount) -> [UInt8] {
    Array(String(repeating: text, count: count / text.utf8.count).utf8)
  }

  private static func object(_ memberCount: Int, prefix: String) -> String {
    "{" + (0..<memberCount).map { "\"\(prefix)\($0 + 100_000)\":0" }.joined(separator: ",") + "}"
  }

  private static func array(_ element: String) -> [UInt8] {
    [UInt8(ascii: "[")] + repeated(element + ",") + Array("]".utf8)
  }

  /// Texts that are refused late: at the last bracket, the last member, the last digit.
  private static func json() -> [Workload] {
    let decoder = StrictJSONDecoder()
    let digits = [UInt8(ascii: "0"), UInt8(ascii: ".")] + repeated("9")
    let texts: [(String, [UInt8])] = [
      ("brackets", repeated("[")), ("open-string", [UInt8(ascii: "\"")] + repeated("a")),
      ("escapes", [UInt8(ascii: "\"")] + repeated("\\u0041")), ("digits", repeated("9")),
      ("exponent", Array("1e".utf8) + repeated("9")), ("members", Array(object(70_000, prefix: "name").utf8)),
      ("small-objects", array(object(32, prefix: "k"))), ("wide-objects", array(object(512, prefix: "k"))),
      ("long-names", array(object(512, prefix: String(repeating: "n", count: 1900)))),
      ("duplicate-at-end", Array("{\"a\":[".utf8) + repeated("0,") + Array("0],\"a\":0}".utf8)),
    ]
    return texts.map { name, text in
      Workload("hostile.json.\(name).1m", byteCount: text.count) { try? JSONDocument(parsing: text) }
    } + [
      Workload("hostile.json.fraction.1m", byteCount: digits.count) { try decoder.decode(Double.self, from: digits) }
    ]
  }

  private static func base64url() -> [Workload] {
    let text = repeated("A")
    let foreign = text.dropLast() + [UInt8(ascii: "=")]
    let padded = [UInt8(ascii: "=")] + text
    return [
      Workload("hostile.base64url.last-character.1m", byteCount: text.count) { try? Base64URL.decode(utf8: foreign) },
      Workload("hostile.base64url.first-character.1m", byteCount: text.count) { try? Base64URL.decode(utf8: padded) },
    ]
  }

  /// Whole tokens, at a limit that lets a megabyte in.
  private static func tokens(_ key: SigningKey) -> [Workload] {
    let header = Array(Base64URL.encode(Array(#"{"alg":"HS256"}"#.utf8)).utf8)
    let dot = [UInt8(ascii: ".")]
    let signature = Array(Base64URL.encode([UInt8](repeating: 0, count: 32)).utf8)
    let texts: [(String, [UInt8])] = [
      ("dots", repeated(".")), ("no-dots", repeated("A")), ("header", repeated("A") + dot + dot + signature),
      ("payload", header + dot + repeated("A") + dot + signature), ("signature", header + dot + dot + repeated("A")),
    ]
    let verificationKey = key.verificationKey
    return texts.map { name, text in
      Workload("hostile.token.\(name).1m", byteCount: text.count) { try? JWS.verify(utf8: text, with: verificationKey) }
    }
  }

  /// Headers of a megabyte, at a limit that was raised so far.
  private static func headers(_ key: SigningKey) -> [Workload] {
    var limits = Limits.default
    limits.headerByteCount = 2 * byteCount
    let verificationKey = key.verificationKey
    let texts: [(String, String)] = [
      ("members", object(70_000, prefix: "name")),
      ("long-names", object(512, prefix: String(repeating: "n", count: 1900))),
      ("depth", #"{"alg":"HS256","x":"# + String(repeating: "[", count: byteCount)),
      ("critical", #"{"alg":"HS256","crit":["# + String(repeating: #""a","#, count: byteCount / 4) + #""a"]}"#),
      (
        "certificates", #"{"alg":"HS256","x5c":["# + String(repeating: #""AA==","#, count: byteCount / 7) + #""AA=="]}"#
      ),
    ]
    return texts.map { name, header in
      let token = Array(Base64URL.encode(header.utf8).utf8) + Array("..AAAA".utf8)
      return Workload("hostile.header.\(name).1m", byteCount: token.count) {
        try? JWS.verify(utf8: token, with: verificationKey, limits: limits)
      }
    }
  }

  /// Key sets with values by the hundred thousand, and with private keys, whose parts are not to be multiplied.
  private static func keySets() -> [Workload] {
    let number = String(repeating: "_", count: 1365) + "w"
    let key = #"{"kty":"RSA","e":"AQAB","n":"\#(number)","d":"\#(number)"}"#
    let publicKey = #"{"kty":"RSA","e":"AQAB","n":"\#(number)"}"#
    let texts: [(String, String)] = [
      ("rsa-8192", #"{"keys":[\#(Array(repeating: publicKey, count: 256).joined(separator: ","))]}"#),
      ("private", #"{"keys":[\#(Array(repeating: key, count: 256).joined(separator: ","))]}"#),
      ("values", #"{"keys":[{"kty":"EC","x5c":[\#(String(repeating: "{},", count: byteCount / 3))0]}]}"#),
      ("wide", #"{"keys":[{"kty":"EC","x":[\#(String(repeating: object(512, prefix: "k") + ",", count: 160))0]}]}"#),
    ]
    return texts.map { name, text in
      Workload("hostile.key-set.\(name).1m", byteCount: text.utf8.count) { try? JWKSet(parsing: text) }
    }
  }

  /// A proof whose `htu` is as long as claims may be, of dot segments.
  private static func targets() throws -> Workload {
    let key = try SigningKey.generate(.es256)
    guard let jwk = try key.verificationKey.publicJWK?.publicJSONObject() else { throw UsageError("no public key") }
    let url = "https://as.example" + String(repeating: "/..", count: 40_000)
    let header: JSONObject = ["typ": "dpop+jwt", "alg": "ES256", "jwk": .object(jwk)]
    let claims: JSONObject = ["jti": "a", "htm": "POST", "htu": .string(url), "iat": 1_700_000_000]
    let input = Base64URL.encode(header.serialized()) + "." + Base64URL.encode(claims.serialized())
    let proof = input + "." + Base64URL.encode(try key.signature(for: Array(input.utf8)))
    let verifier = DPoPVerifier(records: MemoryRecordStore())
    return Workload(asynchronous: "hostile.dpop.htu.160k", byteCount: proof.utf8.count) {
      try? await verifier.verify(proof, method: "POST", url: url, binding: .none)
    }
  }

  /// A token for a store that is full, of names that don't expire soon.
  private static func replays() -> Workload {
    let filled = FullStore()
    return Workload(asynchronous: "hostile.replay.full") { await filled.note() }
  }
}

/// Names in a store that has no room for another.
private actor FullStore {
  private let used = UsedOnce(MemoryRecordStore(byteLimit: 250_000 * 300), kind: "hostile")
  private let now = NumericDate(1_700_000_000)
  private var count = 0
  private var isFull = false

  /// Notes one name more.
  func note() async -> Bool {
    while !isFull { isFull = await !noteNext() }
    return await noteNext()
  }

  private func noteNext() async -> Bool {
    count += 1
    return (try? await used.note(.init(["\(count)"], expiry: now.advanced(by: 60)), now: now)) == .new
  }
}
