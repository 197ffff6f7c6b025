// Runs one operation with several secrets between two marker functions, for a tool that records instructions and
// addresses.
//
//   PureJOSEConstantTimeProbe --list
//   PureJOSEConstantTimeProbe NAME COUNT [INDEX]
//
// Or runs operations with a tainted secret, each in a process of its own, for a tool that follows undefined memory.
//
//   PureJOSEConstantTimeProbe --taint-list
//   PureJOSEConstantTimeProbe --taint [NAME …]
// Or runs operations while each block of memory is looked into that is given back; `Tests/ConstantTime/residue` loads
// what does that.
//
//   PureJOSEConstantTimeProbe --residue [NAME …]
let arguments = Array(CommandLine.arguments.dropFirst())
let numbers = arguments.dropFirst().compactMap { Int($0) }
if arguments == ["--list"] {
  for operation in Operations.all {
    print(
      operation.mustBeConstant ? "constant" : "leaky", operation.isLong ? "long" : "short", operation.name,
      separator: "\t")
  }
} else if arguments == ["--taint-list"] {
  for operation in TaintedOperations.all { print(operation.name, operation.leaksIn ?? "", separator: "\t") }
} else if arguments.first == "--taint" {
  let names = Set(arguments.dropFirst())
  for operation in TaintedOperations.all where names.isEmpty || names.contains(operation.name) { operation.runApart() }
} else if arguments.first == "--residue", let blocks = FreedBlocks() {
  let names = Set(arguments.dropFirst())
  for operation in [TaintedOperations.unwiped] + TaintedOperations.all
  where operation.leaksIn == nil && (names.isEmpty || names.contains(operation.name)) {
    blocks.run(operation)
  }
} else if let operation = Operations.all.first(where: { $0.name == arguments.first }), let count = numbers.first,
  count > 1, numbers.count == arguments.count - 1, numbers.allSatisfy({ $0 >= 0 })
{
  try operation.run(count: count, only: numbers.dropFirst().first)
} else {
  print(
    "usage: PureJOSEConstantTimeProbe --list | NAME COUNT [INDEX] | --taint-list | --taint [NAME …] | --residue [NAME …]"
  )
}
