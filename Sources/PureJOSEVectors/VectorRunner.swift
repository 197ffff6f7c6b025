import StrictJSON

/// Runs files of test vectors against the package.
///
/// It understands files of the schema `jose_vectors_v1`, of Wycheproof, of the RFC 7520 cookbook, of NIST's ACVP and
/// C2SP's CCTV for ML-KEM and ML-DSA, and the examples of RFC 9964. Nothing in a file goes unnoticed: a member that
/// isn't read, a flag that isn't explained, a group type that isn't known and a count that differs are failures, and a
/// test that can't be run is counted with the reason.
package enum VectorRunner {
  /// Runs every test of a file.
  /// - Parameter octets: the file's content.
  /// - Parameter fileName: its name without the folder, by which overrides find it.
  package static func run(
    _ octets: [UInt8], fileName: String, overrides: VectorOverrides = .none
  ) -> VectorReport {
    var report = VectorReport(fileName: fileName)
    do throws(VectorFault) {
      let document = try parsed(octets)
      if ACVPFile.recognizes(document) {
        ACVPFile.run(document, into: &report)
      } else if CCTVFile.recognizes(document) {
        CCTVFile.run(document, into: &report)
      } else if MLDSAExample.recognizes(document) {
        MLDSAExample.run(document, into: &report)
      } else if document.contains("testGroups") {
        let file = try TestFile(reading: MemberReader(document), overrides: overrides.for(fileName: fileName))
        file.run(into: &report)
      } else if CookbookExample.recognizes(document) {
        CookbookExample.run(document, into: &report)
      } else {
        throw .malformed("none of the known formats")
      }
    } catch {
      report.fail(0, "\(error)")
    }
    return report
  }

  private static func parsed(_ octets: [UInt8]) throws(VectorFault) -> JSONObject {
    // Files hold megabytes of hexadecimal text, but their structure is small.
    let limits = JSONLimits(maximumByteCount: 64 << 20, maximumElementCount: 4_000_000)
    do throws(JSONError) {
      return try JSONObject(parsing: octets, limits: limits)
    } catch {
      throw .malformed("not a JSON object: \(error)")
    }
  }
}
