import PureCrypto
import StrictJSON

/// Values of C2SP's CCTV: for ML-KEM names and octets in order, each file one test; for ML-DSA digests of many keys and
/// signatures.
enum CCTVFile {
  /// Whether a document has the shape of such a file.
  static func recognizes(_ document: JSONObject) -> Bool {
    document["source"]?.stringValue?.hasPrefix("C2SP/CCTV ML-") == true
  }

  static func run(_ document: JSONObject, into report: inout VectorReport) {
    guard document.contains("values") else { return runAccumulated(MemberReader(document), into: &report) }
    var values = CCTVValues()
    var outcome = Outcome(ofWholeFile: MemberReader(document))
    outcome.judge { file in
      let parameterSet = try Self.parameterSet(source: try file.string("source"))
      guard let pairs = try file.value("values").arrayValue else { throw VectorFault.malformed("values is no array") }
      for pair in pairs {
        guard let pair = pair.arrayValue, pair.count == 2, let name = pair[0].stringValue,
          let value = pair[1].stringValue
        else { throw VectorFault.malformed("a value is not a pair of texts") }
        try values.add(name, value)
      }
      return try values.judge(parameterSet)
    }
    outcome.requireEverythingRead(isStrict: report.isStrict)
    outcome.add(to: &report)
    values.remark(in: &report)
  }

  /// The parameter set that the path of a file in CCTV names.
  private static func parameterSet(source: String) throws(VectorFault) -> MLKEMParameterSet {
    if source.contains("ML-KEM-768") { return .mlKEM768 }
    if source.contains("ML-KEM-1024") { return .mlKEM1024 }
    throw .notImplemented(source.contains("ML-KEM-512") ? "ML-KEM-512" : "the parameter set of \(source)")
  }

  private static func runAccumulated(_ file: MemberReader, into report: inout VectorReport) {
    do throws(VectorFault) {
      _ = (try file.string("source"), try file.string("procedure"))
      if try file.jsonObject(ifPresent: "fieldOperations") != nil {
        report.skip("the tests of PureCrypto have the field operations")
      }
      for name in ["ML-DSA-44", "ML-DSA-65", "ML-DSA-87"] {
        guard let digests = try file.object(ifPresent: name) else { continue }
        let parameterSet = try MLDSAParameterSet(named: name)
        for text in digests.names {
          guard let count = Int(text), count > 0 else { throw .malformed("\(text) is not a number of keys") }
          let digest = try digests.octets(text)
          if count > 10_000 {
            report.skip("\(count) keys take hours")
            continue
          }
          var outcome = Outcome(reading: MemberReader([:]), number: report.executed + 1, expected: .valid)
          outcome.judge { _ in
            let isSame = try parameterSet.accumulatedDigest(count: count) == digest
            return .accepted(if: isSame, otherwise: "\(name): the digest of \(count) keys differs")
          }
          outcome.add(to: &report)
        }
      }
      report.noteUnread(file.unread.first)
      if report.executed + report.skipped == 0 { throw .malformed("the file has no digests") }
    } catch {
      report.fail(0, "\(error)")
    }
  }
}
