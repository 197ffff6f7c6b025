import JOSE
import PureCrypto
import StrictJSON

extension FuzzTarget {
  static let statusListTargets = [statusList, zlib]

  /// The claim `status_list`, and the claim `status`.
  private static let statusList = FuzzTarget(
    "status-list", maximumByteCount: 2048,
    dictionary: [
      "\"bits\":", "\"lst\":\"", "\"eNpjYGAAAAACAAE\"", "\"status_list\":{", "\"idx\":", "\"uri\":\"https://a\"",
    ],
    seeds: { vectors in
      try vectors.texts("status_list.json", member: "statusList").filter { $0.count <= 2048 }
        + [Array(#"{"status":{"status_list":{"idx":1,"uri":"https://a.example/1"}}}"#.utf8)]
    },
    run: { input in
      guard let claim = try? JSONObject(parsing: input) else { return false }
      if let reference = try? StatusReference(in: claim) {
        try require(try StatusReference(in: ["status": reference.claim]) == reference, "the claim is the place again")
        return true
      }
      var limits = Limits.default
      limits.statusListByteCount = 1 << 16
      guard var list = try? StatusList(claim, limits: limits) else { return false }
      let count = list.count
      try require(count > 0 && count <= 8 << 16 && count % (8 / list.bits) == 0, "a list has whole octets")
      try require(list[0] != nil && list[count - 1] != nil && list[count] == nil, "statuses end with the list")
      try require(try StatusList(list.claim, limits: limits) == list, "what is written is read as the same")
      let last = count - 1
      let before = list[0]
      try list.set(.invalid, at: last)
      try require(list[last] == .invalid && (last == 0 || list[0] == before), "one status changes")
      return true
    })

  /// Any octets, as content and as a frame.
  private static let zlib = FuzzTarget(
    "zlib", maximumByteCount: 4096, dictionary: ["\u{78}\u{1}"],
    seeds: { _ in
      [
        [], [0], [UInt8](repeating: 0, count: 4000), (0..<4096).map { UInt8(truncatingIfNeeded: $0 &* $0) },
        Zlib.compress(Array("a list of a list of a list".utf8)),
      ]
    },
    run: { input in
      let frame = Zlib.compress(input)
      try require(try Zlib.decompress(frame, byteLimit: input.count) == input, "what is written is read as the same")
      try require(frame.count <= input.count + input.count / 8 + 32, "what can't be compressed is hardly longer")
      guard let content = try? Zlib.decompress(input, byteLimit: 1 << 16) else { return false }
      try require(try Zlib.decompress(Zlib.compress(content), byteLimit: content.count) == content, "content stays")
      return true
    })
}
