import StrictJSON
import PureJOSEVectors

struct VectorsVerb {
  let console: Console

  func run(_ arguments: [String]) throws(CommandFailure) {
    let arguments = try Arguments(arguments, options: [], flags: ["json", "verbose", "strict"])
    let isJSON = arguments.flags.contains("json")
    let isVerbose = arguments.flags.contains("verbose")
    var total = VectorCount()
    let (files, others) = try files(arguments.operands.isEmpty ? ["TestVectors"] : arguments.operands)
    for (number, file) in files.enumerated() {
      console.showProgress("\(number + 1) of \(files.count)  \(file)")
      let report = VectorRunner.run(
        try console.readFile(file), fileName: FilePath.name(file), overrides: try overrides(for: file),
        isStrict: arguments.has("strict"))
      console.showProgress(nil)
      total.add(report)
      console.write(isJSON ? json(report, file) : row(report, file, isVerbose: isVerbose))
    }
    if isJSON {
      if !others.isEmpty { console.write(json(others)) }
    } else {
      if !others.isEmpty { console.write("no vector files: \(others.joined(separator: ", "))\n") }
      console.write("\(total.text)\n")
    }
    guard total.executed > 0 else { throw .invalid("no vector test was run") }
    guard total.failed == 0 else { throw .invalid("\(total.failed) vector tests failed") }
  }

  /// The files that the operands stand for; a folder stands for the vector files in it and in its folders. Its other
  /// files are named, so that none is passed over in silence; hidden ones are left out.
  private func files(_ operands: [String]) throws(CommandFailure) -> (files: [String], others: [String]) {
    var files: [String] = []
    var others: [String] = []
    for operand in operands {
      guard SystemInterface.kind(of: operand) == .folder else {
        files.append(operand)
        continue
      }
      let found = paths(in: operand)
      let names = found.filter { VectorFolder.runsFile(named: FilePath.name($0)) }.sorted()
      guard !names.isEmpty else { throw .usage("no vector files in \(Visible.argument(operand))") }
      files += names.map { FilePath.joined(operand, $0) }
      let run = Set(names)
      others += found.filter { !run.contains($0) }.sorted().map { FilePath.joined(operand, $0) }
    }
    return (files, others)
  }

  /// The paths of what is in a folder and in its folders, from there. Links to folders are not followed.
  private func paths(in folder: String) -> [String] {
    SystemInterface.names(in: folder).filter { $0.utf8.first != UInt8(ascii: ".") }.flatMap { name -> [String] in
      let path = FilePath.joined(folder, name)
      guard SystemInterface.kind(of: path, followsLinks: false) == .folder else { return [name] }
      return paths(in: path).map { FilePath.joined(name, $0) }
    }
  }

  /// The overrides beside a file, or in the nearest folder above it that has some.
  private func overrides(for file: String) throws(CommandFailure) -> VectorOverrides {
    let named = FilePath.folder(file)
    var folder = SystemInterface.absolutePath(named) ?? (named.hasPrefix("/") ? named : nil)
    while let place = folder {
      if let octets = try? console.readFile(FilePath.joined(place, VectorOverrides.fileName)) {
        do throws(VectorFault) {
          return try VectorOverrides(parsing: octets)
        } catch {
          throw .invalid("the overrides in \(Visible.argument(place)): \(error)")
        }
      }
      folder = place == "/" ? nil : FilePath.folder(place)
    }
    return .none
  }

  private func row(_ report: VectorReport, _ file: String, isVerbose: Bool) -> String {
    var count = VectorCount()
    count.add(report)
    var text = "\(file): \(count.text)\n"
    for (reason, number) in report.skippedByReason.sorted(by: { $0.key < $1.key }) {
      text += "  skipped \(number): \(Visible.text(reason))\n"
    }
    for (remark, number) in report.remarks.sorted(by: { $0.key < $1.key }) {
      text += "  remark \(number): \(Visible.text(remark))\n"
    }
    for failure in report.failures where isVerbose || failure.testIdentifier == 0 {
      let number = failure.testIdentifier == 0 ? "" : "#\(failure.testIdentifier) "
      text += "  failed \(number)\(Visible.text(failure.reason))\n"
    }
    return text
  }

  private func json(_ report: VectorReport, _ file: String) -> String {
    let object: JSONObject = [
      "file": .string(file),
      "passed": .number(JSONNumber(report.passed)),
      "failed": .number(JSONNumber(report.failures.count)),
      "skipped": .number(JSONNumber(report.skipped)),
      "reasons": counts(report.skippedByReason),
      "remarks": counts(report.remarks),
      "failures": .array(report.failures.map { .number(JSONNumber($0.testIdentifier)) }),
    ]
    return line(object)
  }

  /// The files that are not run.
  private func json(_ others: [String]) -> String {
    line(["noVectorFiles": .array(others.map { .string($0) })])
  }

  private func counts(_ counts: [String: Int]) -> JSONValue {
    .object(JSONObject(counts.sorted { $0.key < $1.key }.map { ($0.key, .number(JSONNumber($0.value))) }))
  }

  private func line(_ object: JSONObject) -> String { String(decoding: object.serialized(), as: UTF8.self) + "\n" }
}

/// How many tests passed, failed and were skipped.
private struct VectorCount {
  private var passed = 0
  private(set) var failed = 0
  private var skipped = 0

  var executed: Int { passed + failed }

  mutating func add(_ report: VectorReport) {
    passed += report.passed
    failed += report.failures.count
    skipped += report.skipped
  }

  var text: String { "\(passed) passed, \(failed) failed, \(skipped) skipped" }
}

/// Paths as texts.
private enum FilePath {
  /// What follows the last slash.
  static func name(_ path: String) -> String {
    String(decoding: Array(path.utf8).split(separator: 0x2F).last ?? [], as: UTF8.self)
  }

  /// What stands before the last slash: the folder of a file.
  static func folder(_ path: String) -> String {
    guard let slash = path.utf8.lastIndex(of: 0x2F) else { return "." }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  static func joined(_ folder: String, _ name: String) -> String {
    folder.utf8.last == 0x2F ? folder + name : folder + "/" + name
  }
}
