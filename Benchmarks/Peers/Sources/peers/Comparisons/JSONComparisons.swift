import Foundation
import PureJOSEBenchmarking
import StrictJSON

/// The claims of a token, read and written beside Foundation's coders, which are made once.
enum JSONComparisons {
  static func all() throws -> [Comparison] {
    let claims = SampleClaims()
    let ourEncoder = StrictJSONEncoder()
    let ourDecoder = StrictJSONDecoder()
    let theirEncoder = JSONEncoder()
    let theirDecoder = JSONDecoder()
    let text = try ourEncoder.encode(claims)
    let data = Data(text)
    guard try theirDecoder.decode(SampleClaims.self, from: data) == claims,
      try ourDecoder.decode(SampleClaims.self, from: Array(theirEncoder.encode(claims))) == claims
    else { throw Disagreement("json.claims") }
    return [
      Comparison(
        "json.claims.decode", peer: "Foundation", ours: { try ourDecoder.decode(SampleClaims.self, from: text) },
        theirs: { try theirDecoder.decode(SampleClaims.self, from: data) }),
      Comparison(
        "json.claims.encode", peer: "Foundation", ours: { try ourEncoder.encode(claims) },
        theirs: { try theirEncoder.encode(claims) }),
    ]
  }
}
