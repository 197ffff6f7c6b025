// Runs vector files, without Foundation: each is named on the command line, and one line says what came of it.
import Glibc
import PureCrypto
import PureJOSEVectors

func contents(of path: String) -> [UInt8]? {
  let descriptor = open(path, O_RDONLY)
  guard descriptor >= 0 else { return nil }
  defer { close(descriptor) }
  var octets: [UInt8] = []
  var chunk = [UInt8](repeating: 0, count: 65_536)
  while true {
    let byteCount = read(descriptor, &chunk, chunk.count)
    guard byteCount > 0 else { return byteCount == 0 ? octets : nil }
    octets += chunk[..<byteCount]
  }
}

/// The name of a file, and the overrides that the file of that name beside it or above it has.
func place(of path: String) throws -> (name: String, overrides: VectorOverrides) {
  var parts = path.split(separator: "/", omittingEmptySubsequences: false)
  let name = String(parts.popLast() ?? "")
  while !parts.isEmpty {
    if let octets = contents(of: parts.joined(separator: "/") + "/" + VectorOverrides.fileName) {
      return (name, try VectorOverrides(parsing: octets))
    }
    parts.removeLast()
  }
  return (name, .none)
}

print("backend: \(Backend.preferred) of \(Backend.available.map(\.description).joined(separator: ", "))")
var (passed, failed, skipped) = (0, 0, 0)
for path in CommandLine.arguments.dropFirst() {
  guard let octets = contents(of: path) else {
    print("\(path): can't be read")
    exit(1)
  }
  let (name, overrides) = try place(of: path)
  let report = VectorRunner.run(octets, fileName: name, overrides: overrides)
  passed += report.passed
  failed += report.failures.count
  skipped += report.skippedByReason.values.reduce(0, +)
  for failure in report.failures { print("\(path) #\(failure.testIdentifier): \(failure.reason)") }
}
print("\(passed) passed, \(failed) failed, \(skipped) skipped")
exit(failed == 0 && passed > 0 ? 0 : 1)
