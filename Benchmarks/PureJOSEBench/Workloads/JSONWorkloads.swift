import PureJOSEBenchmarking
import StrictJSON

/// On the claims of an identity token, filled up to 300 bytes.
enum JSONWorkloads {
  static func all() throws -> [Workload] {
    var claims = SampleClaims()
    let shortCount = try StrictJSONEncoder().encode(claims).count
    claims.nonce += String(repeating: "x", count: 300 - shortCount)
    let text = try StrictJSONEncoder().encode(claims)
    let tree = try JSONValue(parsing: text)
    let decoder = StrictJSONDecoder()
    let encoder = StrictJSONEncoder()
    return [
      Workload("json.parse.300", byteCount: text.count) { try JSONValue(parsing: text) },
      Workload("json.serialize.300", byteCount: text.count) { tree.serialized() },
      Workload("json.decode-claims", byteCount: text.count) { try decoder.decode(SampleClaims.self, from: text) },
      Workload("json.encode-claims", byteCount: text.count) { [claims] in try encoder.encode(claims) },
    ]
  }
}
