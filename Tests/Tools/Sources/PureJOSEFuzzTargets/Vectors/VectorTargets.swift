import StrictJSON
import PureJOSEVectors

extension FuzzTarget {
  static let vectorTargets = [vectorFile, vectorOverrides]

  /// A vector file, as `jose vectors` reads one.
  private static let vectorFile = FuzzTarget(
    "vector-file", maximumByteCount: 1536,
    dictionary: [
      "\"testGroups\":[", "\"tests\":[", "\"type\":", "\"tcId\":1", "\"result\":\"valid\"", "\"result\":\"invalid\"",
      "\"schema\":\"jose_vectors_v1\"", "\"numberOfTests\":", "\"AeadTest\"", "\"MacTest\"", "\"EcdsaVerify\"",
      "\"EcdsaP1363Verify\"", "\"EcdhTest\"", "\"HashRepeated\"", "\"HashMonteCarlo\"", "\"JwsVerify\"",
      "\"KeywrapTest\"",
      "\"IndCpaTest\"", "\"RsassaPkcs1Verify\"", "\"XdhComp\"",
    ],
    seeds: { vectors in
      // One test of each group of each file: small, and every kind of group is there.
      try [
        "aes", "aes_gcm", "base64url", "concat_kdf", "ecdh_es", "ecdh_p256", "ecdsa_p256", "hmac", "jwe", "jwk",
        "jwk_thumbprint", "jws", "jwt", "p256_keys", "sha2",
      ].flatMap { name in try smallFiles(vectors.octets("\(name).json")) }.filter { $0.count <= 1536 } + otherForms
    },
    run: { input in
      // What doesn't begin as JSON is read as a text, or decompressed.
      let isJSON = input.first == 0x7B || input.first == 0x5B
      let report = VectorRunner.run(input, fileName: isJSON ? "fuzz.json" : "fuzz.txt")
      try require(report.passed >= 0 && report.executed >= report.passed, "the counts add up")
      return report.passed > 0 && report.failures.isEmpty
    })

  /// The forms of ACVP and CCTV: objects, an array, a text, and that text in gzip without compression.
  private static let otherForms: [[UInt8]] =
    [
      #"{"vsId":1,"algorithm":"ML-KEM","mode":"keyGen","testGroups":[{"tgId":1,"parameterSet":"ML-KEM-768","tests":[{"tcId":1,"d":"00","z":"00","ek":"00","dk":"00"}]}]}"#,
      #"{"source":"C2SP/CCTV ML-KEM-768","values":[["d","00"],["dk","00"]]}"#,
      #"[{"seed":"00","sk":"00","pk":"00","eseed":"00","ct":"00","ss":"00"}]"#, "dk = 00\nm = 00\n",
    ].map { Array($0.utf8) } + [
      [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 1, 15, 0, 0xF0, 0xFF] + Array("dk = 00\nm = 00\n".utf8)
        + [0x2E, 0xFB, 0xA4, 0xBB, 15, 0, 0, 0]
    ]

  /// A file of overrides.
  private static let vectorOverrides = FuzzTarget(
    "vector-overrides", maximumByteCount: 256,
    seeds: { _ in
      [
        Array(
          #"{"description":"d","schema":"wycheproof_overrides_v1","overrides":[{"file":"a.json","tcId":1,"comment":"c","upstreamResult":"valid","result":"invalid","reason":"r"}]}"#
            .utf8)
      ]
    },
    run: { input in (try? VectorOverrides(parsing: input)) != nil })

  private static func smallFiles(_ octets: [UInt8]) throws -> [[UInt8]] {
    let file = try JSONObject(
      parsing: octets, limits: JSONLimits(maximumByteCount: 64 << 20, maximumElementCount: 4_000_000))
    var known: Set<String> = []
    return (file["testGroups"]?.arrayValue ?? []).compactMap(\.objectValue).compactMap { group in
      guard known.insert(group["type"]?.stringValue ?? "").inserted, let test = group["tests"]?.arrayValue?.first,
        let flags = test.objectValue?["flags"]?.arrayValue?.compactMap(\.stringValue)
      else { return nil }
      var (file, group) = (file, group)
      group["tests"] = [test]
      file["testGroups"] = [.object(group)]
      file["numberOfTests"] = 1
      let notes = file["notes"]?.objectValue?.members ?? []
      file["notes"] = .object(JSONObject(notes.filter { flags.contains($0.name) }.map { ($0.name, $0.value) }))
      return file.serialized()
    }
  }
}
