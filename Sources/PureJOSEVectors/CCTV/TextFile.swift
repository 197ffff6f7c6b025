import PureCrypto

/// Texts of C2SP's CCTV for ML-KEM: a public key on each line, which must be refused, or values of one run as
/// `name = value`.
enum TextFile {
  /// Runs a text of either form.
  /// - Returns: whether it has one of them.
  static func run(_ octets: [UInt8], into report: inout VectorReport) -> Bool {
    let lines = octets.split(separator: UInt8(ascii: "\n"))
      .map { $0.last == UInt8(ascii: "\r") ? $0.dropLast() : $0 }
    guard let first = lines.first else { return false }
    if Hex.isHex(first) { return runKeys(lines, firstCount: first.count / 2, into: &report) }
    let pairs = lines.map(pair)
    guard pairs.allSatisfy({ $0 != nil }), pairs.contains(where: { $0?.name == "dk" }) else { return false }
    var values = CCTVValues()
    var outcome = Outcome(ofWholeFile: MemberReader([:]))
    outcome.judge { _ in
      for case let pair? in pairs { try values.add(pair.name, pair.value) }
      return try values.judge(try values.parameterSet())
    }
    outcome.add(to: &report)
    values.remark(in: &report)
    return true
  }

  /// Public keys that must be refused although they have the right length, so that a line of another length is a fault
  /// of the file.
  private static func runKeys(_ lines: [ArraySlice<UInt8>], firstCount: Int, into report: inout VectorReport) -> Bool {
    // 800 octets have those of ML-KEM-512.
    if firstCount == 800 {
      report.skip("ML-KEM-512 is not implemented", count: lines.count)
      return true
    }
    let parameterSets = [MLKEMParameterSet.mlKEM768, .mlKEM1024]
    guard let parameterSet = parameterSets.first(where: { $0.publicKeyByteCount == firstCount }) else { return false }
    for (index, line) in lines.enumerated() {
      var outcome = Outcome(reading: MemberReader([:]), number: index + 1, expected: .invalid)
      outcome.judge { _ in
        guard let key = Hex.decode(String(decoding: line, as: UTF8.self)), key.count == firstCount else {
          throw VectorFault.malformed("the line is not \(firstCount) octets in hexadecimal")
        }
        _ = try MLKEMPublicKey(parameterSet, rawRepresentation: key)
        return .accepted
      }
      outcome.add(to: &report)
    }
    return true
  }

  /// What stands before and after the first " = " of a line.
  private static func pair(_ line: ArraySlice<UInt8>) -> (name: String, value: String)? {
    guard let equals = line.firstIndex(of: UInt8(ascii: "=")), equals > line.startIndex,
      line[line.index(before: equals)] == 0x20, equals < line.endIndex - 1, line[line.index(after: equals)] == 0x20
    else { return nil }
    return (
      String(decoding: line[..<(equals - 1)], as: UTF8.self), String(decoding: line[(equals + 2)...], as: UTF8.self)
    )
  }
}
