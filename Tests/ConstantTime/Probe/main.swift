// Runs one operation with several secrets between two marker functions, for a tool that records instructions and addresses.
//
//   ConstantTimeProbe --list
//   ConstantTimeProbe NAME COUNT [INDEX]
let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst().compactMap { Int($0) }
if arguments == ["--list"] {
  for operation in Operations.all {
    print(
      operation.mustBeConstant ? "constant" : "leaky", operation.isLong ? "long" : "short", operation.name,
      separator: "\t")
  }
} else if let operation = Operations.all.first(where: { $0.name == arguments.first }), let count = numbers.first,
  count > 1, numbers.count == arguments.count - 1, numbers.allSatisfy({ $0 >= 0 })
{
  try operation.run(count: count, only: numbers.dropFirst().first)
} else {
  print("usage: ConstantTimeProbe --list | NAME COUNT [INDEX]")
}
