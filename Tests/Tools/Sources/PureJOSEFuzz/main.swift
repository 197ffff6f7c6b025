import Foundation
import PureJOSEFuzzTargets

// fuzz list                     names, longest input
// fuzz seeds TARGET FROM TO     seeds made from the folder FROM, one file each, and TO.dict
// fuzz replay TARGET FILE …     runs files through a target
// fuzz TARGET …                 libFuzzer with its own arguments, if it is built in

let arguments = Array(CommandLine.arguments.dropFirst())

func fail(_ text: String) -> Never {
  FileHandle.standardError.write(Data("\(text)\n".utf8))
  exit(2)
}

func target(_ name: String?) -> FuzzTarget {
  guard let name, let target = FuzzTarget.all.first(where: { $0.name == name }) else { fail("no such target") }
  return target
}

switch arguments.first {
case "list":
  for target in FuzzTarget.all { print(target.name, target.maximumByteCount) }
case "seeds" where arguments.count == 4:
  try writeSeeds(of: target(arguments[1]), from: arguments[2], to: arguments[3])
case "replay" where arguments.count > 2:
  let target = target(arguments[1])
  for path in arguments.dropFirst(2) {
    do {
      let isAccepted = try target.run(Array(Data(contentsOf: URL(fileURLWithPath: path))))
      print("\(path): \(isAccepted ? "accepted" : "refused")")
    } catch {
      fail("\(path): \(error)")
    }
  }
case let name?:
  runLibFuzzer(target(name))
default:
  fail("usage: fuzz list | seeds TARGET FROM TO | replay TARGET FILE … | TARGET libFuzzer-arguments …")
}
