import Benchmarking
import FuzzTargets
import HTTPValues
import PureCrypto
import StrictJSON
import VectorRunner

let names = [Benchmarking.name, FuzzTargets.name, HTTPValues.name, VectorRunner.name]
let value = try JSONValue(parsing: Array(#"{"name": "jose"}"#.utf8))
guard case .object(let object) = value,
  names == ["Benchmarking", "FuzzTargets", "HTTPValues", "VectorRunner"],
  SHA2.SHA256.hash("abc".utf8).description.hasPrefix("ba7816bf")
else {
  fatalError("other modules of these names")
}
print("the client's \(object["name"]?.stringValue ?? "-")")
