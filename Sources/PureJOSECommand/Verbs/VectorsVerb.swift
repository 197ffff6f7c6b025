import Foundation
import StrictJSON
import PureJOSEVectors

struct VectorsVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [], flags: ["json", "verbose"])
    let isJSON = arguments.flags.contains("json")
    let isVerbose = arguments.flags.contains("verbose")
    var total = VectorCount()
    let (files, others) = try files(arguments.operands.isEmpty ? ["TestVectors"] : arguments.operands)
    for (number, file) in files.enumerated() {
      console.showProgress("\(number + 1) of \(files.count)  \(file)")
      let report = VectorRunner.run(
        try console.readFile(file), fileName: (file as NSString).lastPathComponent, overrides: try overrides(for: file))
      console.showProgress(nil)
      total.add(report)
      console.write(isJSON ? json(report, file) : row(report, file, isVerbose: isVerbose))
    }
    if !isJSON {
      if !others.isEmpty { console.write("no vector files: \(others.joined(separator: ", "))\n") }
      console.write("\(total.text)\n")
    }
    guard total.failed == 0 else { throw .invalid("\(total.failed) vector tests failed") }
  }

  /// The files that the operands stand for; a folder stands for the vector files in it and in its folders, and its
  /// other JSON files and texts are named, so that none is passed over in silence.
  private func files(_ operands: [String]) throws(CommandFailure) -> (files: [String], others: [String]) {
    var files: [String] = []
    var others: [String] = []
    for operand in operands {
      var isFolder: ObjCBool = false
      guard FileManager.default.fileExists(atPath: operand, isDirectory: &isFolder), isFolder.boolValue else {
        files.append(operand)
        continue
      }
      let found = FileManager.default.enumerator(atPath: operand)?.compactMap { $0 as? String } ?? []
      let names = found.filter { VectorFolder.runsFile(named: ($0 as NSString).lastPathComponent) }.sorted()
      guard !names.isEmpty else { throw .usage("no vector files in \(operand)") }
      files += names.map { (operand as NSString).appendingPathComponent($0) }
      others += found.filter { isText($0) && !names.contains($0) }.sorted()
    }
    return (files, others)
  }

  private func isText(_ path: String) -> Bool {
    ["json", "md", "txt", "rsp"].contains((path as NSString).pathExtension)
  }

  /// The overrides beside a file, or in the nearest folder above it that has some.
  private func overrides(for file: String) throws(CommandFailure) -> VectorOverrides {
    var folder = URL(fileURLWithPath: file).deletingLastPathComponent()
    while true {
      if let octets = try? console.readFile(folder.appendingPathComponent(VectorOverrides.fileName).path) {
        do throws(VectorFault) {
          return try VectorOverrides(parsing: octets)
        } catch {
          throw .invalid("the overrides in \(folder.path): \(error)")
        }
      }
      let above = folder.deletingLastPathComponent().standardizedFileURL
      guard above.path.count < folder.path.count else { return .none }
      folder = above
    }
  }

  private func row(_ report: VectorReport, _ file: String, isVerbose: Bool) -> String {
    var count = VectorCount()
    count.add(report)
    var text = "\(file): \(count.text)\n"
    for (reason, number) in report.skippedByReason.sorted(by: { $0.key < $1.key }) {
      text += "  skipped \(number): \(reason)\n"
    }
    for failure in report.failures where isVerbose || failure.testIdentifier == 0 {
      text += "  failed \(failure.testIdentifier == 0 ? "" : "#\(failure.testIdentifier) ")\(failure.reason)\n"
    }
    return text
  }

  private func json(_ report: VectorReport, _ file: String) -> String {
    let reasons = report.skippedByReason.sorted { $0.key < $1.key }
    let object: JSONObject = [
      "file": .string(file),
      "passed": .number(JSONNumber(report.passed)),
      "failed": .number(JSONNumber(report.failures.count)),
      "skipped": .number(JSONNumber(report.skipped)),
      "reasons": .object(JSONObject(reasons.map { ($0.key, .number(JSONNumber($0.value))) })),
      "failures": .array(report.failures.map { .number(JSONNumber($0.testIdentifier)) }),
    ]
    return String(decoding: object.serialized(), as: UTF8.self) + "\n"
  }
}

/// How many tests passed, failed and were skipped.
private struct VectorCount {
  private var passed = 0
  private(set) var failed = 0
  private var skipped = 0

  mutating func add(_ report: VectorReport) {
    passed += report.passed
    failed += report.failures.count
    skipped += report.skipped
  }

  var text: String { "\(passed) passed, \(failed) failed, \(skipped) skipped" }
}
