import Benchmarking
import FuzzTargets
import HTTPValues
import JOSE
import StrictJSON
import VectorRunner

let names = [Benchmarking.name, FuzzTargets.name, HTTPValues.name, VectorRunner.name]
let form: FormFields = ["client": names.joined(separator: " ")]
let value = try JSONValue(parsing: Array(#"{"name": "jose"}"#.utf8))
guard case .object(let object) = value,
  try form.uniqueValue("client") == "Benchmarking FuzzTargets HTTPValues VectorRunner"
else {
  fatalError("other modules of these names")
}
print("the client's \(object["name"]?.stringValue ?? "-")")
