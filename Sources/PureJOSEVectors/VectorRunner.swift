import StrictJSON

/// Runs files of test vectors against the package.
///
/// It understands files of the schema `jose_vectors_v1`, of Wycheproof, of the RFC 7520 cookbook, of NIST's ACVP and
/// C2SP's CCTV for ML-KEM and ML-DSA, the vectors of X-Wing's and HPKE's drafts and the examples of RFC 9964, each as
/// it is or compressed by gzip. Nothing in a file goes unnoticed: a member that isn't read, a group type that isn't
/// known and a count that differs are failures; a test that can't be run, and a file of a form that isn't known, are
/// counted with the reason; and what is odd but decides nothing, as a flag without an explanation, is a remark.
package enum VectorRunner {
  /// Why a file of a form that the runner doesn't know is not run.
  package static let unknownForm = "unknown form"

  /// Files hold megabytes of hexadecimal text, but their structure is small.
  private static let limits = JSONLimits(maximumByteCount: 64 << 20, maximumElementCount: 4_000_000)

  /// Runs every test of a file.
  /// - Parameter octets: the file's content.
  /// - Parameter fileName: its name without the folder, by which overrides find it.
  /// - Parameter isStrict: whether a member that isn't read, and a type of groups that isn't known, are failures; they
  ///   are remarks and skips otherwise.
  package static func run(
    _ octets: [UInt8], fileName: String, overrides: VectorOverrides = .none, isStrict: Bool = true
  ) -> VectorReport {
    var report = VectorReport(fileName: fileName, isStrict: isStrict)
    do throws(VectorFault) {
      if Gzip.recognizes(octets) || VectorFolder.isCompressed(fileName) {
        let content = try Gzip.decompress(octets, byteLimit: limits.maximumByteCount)
        try run(content, name: VectorFolder.withoutCompression(fileName), overrides, into: &report)
      } else {
        try run(octets, name: fileName, overrides, into: &report)
      }
    } catch {
      report.fail(0, "\(error)")
    }
    return report
  }

  private static func run(
    _ octets: [UInt8], name: String, _ overrides: VectorOverrides, into report: inout VectorReport
  ) throws(VectorFault) {
    guard VectorFolder.isJSON(name) || beginsAsJSON(octets) else {
      if !TextFile.run(octets, into: &report) { report.skip(unknownForm) }
      return
    }
    switch try parsed(octets) {
    case .object(let document): try run(document, name: name, overrides, into: &report)
    case .array(let elements): run(elements, name: name, into: &report)
    default: report.skip(unknownForm)
    }
  }

  private static func run(
    _ document: JSONObject, name: String, _ overrides: VectorOverrides, into report: inout VectorReport
  ) throws(VectorFault) {
    if ACVPFile.recognizes(document) {
      ACVPFile.run(document, into: &report)
    } else if CCTVFile.recognizes(document) {
      CCTVFile.run(document, into: &report)
    } else if MLDSAExample.recognizes(document) {
      MLDSAExample.run(document, into: &report)
    } else if document.contains("testGroups") {
      do throws(VectorFault) {
        let file = try TestFile(reading: MemberReader(document), overrides: overrides.for(fileName: name))
        file.run(into: &report)
      } catch .unknown(let form) where !report.isStrict {
        report.skip("\(VectorFault.unknown(form))")
      }
    } else if CookbookExample.recognizes(document) {
      CookbookExample.run(document, into: &report)
    } else if SDJWTExampleFile.recognizes(document) {
      SDJWTExampleFile.run(document, into: &report)
    } else if let runs = HPKEFile.runs(of: document) {
      HPKEFile.run(runs, into: &report)
    } else if StatusListExampleFile.recognizes(document) {
      StatusListExampleFile.run(document, into: &report)
    } else {
      report.skip(unknownForm)
    }
  }

  private static func run(_ elements: [JSONValue], name: String, into report: inout VectorReport) {
    if let document = ACVPFile.unwrapped(elements) {
      ACVPFile.run(document, into: &report)
    } else if XWingFile.recognizes(elements) {
      XWingFile.run(elements, into: &report)
    } else if HPKEFile.recognizes(elements) {
      HPKEFile.run(elements, into: &report)
    } else if HPKETokenFile.recognizes(elements) {
      HPKETokenFile.run(elements, into: &report)
    } else if let parameterSet = MLDSAMessageFile.parameterSet(of: elements, fileName: name) {
      MLDSAMessageFile.run(elements, parameterSet, into: &report)
    } else {
      let families = elements.map { $0.objectValue.flatMap(UnimplementedFamily.init(recognizingElement:)) }
      guard !families.isEmpty, families.contains(where: { $0 != nil }) else { return report.skip(unknownForm) }
      for family in families { report.skip(family?.reason ?? unknownForm) }
    }
  }

  private static func beginsAsJSON(_ octets: [UInt8]) -> Bool {
    guard let first = octets.first(where: { ![0x20, 0x09, 0x0A, 0x0D].contains($0) }) else { return false }
    return first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
  }

  private static func parsed(_ octets: [UInt8]) throws(VectorFault) -> JSONValue {
    do throws(JSONError) {
      return try JSONValue(parsing: octets, limits: limits)
    } catch {
      throw .malformed("not JSON: \(error)")
    }
  }
}
