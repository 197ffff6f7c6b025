// Times entry points with one fixed secret and with random ones, and compares the two by Welch's t-test.
//
//   PureJOSETimings COUNT [NAME]      COUNT measurements of the fast ones; only those whose name contains NAME
//
// Exit status 1 if a difference shows up twice (|t| > 5), or if the twin that leaks on purpose stays below 10.
#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

let arguments = Array(CommandLine.arguments.dropFirst())
guard let count = arguments.first.flatMap({ Int($0) }), count >= 10_000, arguments.count <= 2 else {
  print("usage: PureJOSETimings COUNT [NAME]      COUNT is 10000 or more")
  exit(2)
}

print(row("entry point", "measured", "ticks", "difference", "max |t|", "verdict"))
var failures = 0
for experiment in Experiments.all where arguments.count < 2 || experiment.name.contains(arguments[1]) {
  let wanted = max(10_000, count / experiment.slowness)
  var outcome = try experiment.measure(count: wanted)
  var verdict = "no difference"
  if experiment.isTwin {
    verdict = outcome.t > 10 ? "differs, as it must" : "no difference, so this test notices nothing"
    if outcome.t <= 10 { failures += 1 }
  } else if outcome.t > 5 {
    // With 21 values of t for each entry point, chance alone exceeds 5 now and then; but not twice, with other secrets.
    let first = outcome
    outcome = try experiment.measure(count: wanted)
    verdict = outcome.t > 5 ? "DIFFERS, twice" : "no difference (first \(tenths(first.t)))"
    if outcome.t > 5 { failures += 1 }
  }
  print(
    row(
      experiment.name, "\(outcome.count)", "\(Int(outcome.ticks))", tenths(outcome.difference), tenths(outcome.t),
      verdict
    ))
  // A run takes long, and what has been measured is wanted even if it is stopped.
  fflush(nil)
}
if failures > 0 {
  print("\(failures) not as expected")
  exit(1)
}

func tenths(_ number: Double) -> String {
  let rounded = Int((abs(number) * 10).rounded())
  return "\(number < 0 && rounded > 0 ? "-" : "")\(rounded / 10).\(rounded % 10)"
}

func row(_ name: String, _ fields: String...) -> String {
  func padded(_ text: String, _ count: Int) -> String { String(repeating: " ", count: max(0, count - text.count)) }
  let widths = [10, 9, 11, 8]
  var line = name + padded(name, 40)
  for (field, width) in zip(fields, widths) { line += " " + padded(field, width) + field }
  return line + "  " + fields[fields.count - 1]
}
