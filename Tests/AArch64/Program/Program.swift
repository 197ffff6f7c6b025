/// Answers each line of standard input on standard output. A line that is not understood ends the program with status
/// 1.
@_cdecl("main")
public func start() -> Int32 {
  var output: [UInt8] = []
  for line in Host.readAll().split(separator: UInt8(ascii: "\n")) {
    guard let operation = Operation(line) else { return 1 }
    traceBegins()
    let result = LeakyTwin(operation)?.result ?? operation.anyResult()
    traceEnds()
    guard let answer = Operation.answer(result) else { return 1 }
    output += answer
    output.append(UInt8(ascii: "\n"))
  }
  Host.write(output)
  return 0
}

/// What runs between a call of this and of ``traceEnds()`` is recorded and compared. Both write to memory, so that
/// neither is dropped.
@inline(never)
public func traceBegins() { Marker.begun &+= 1 }

/// See ``traceBegins()``.
@inline(never)
public func traceEnds() { Marker.ended &+= 3 }

enum Marker {
  // Written by one thread only: the program has no other.
  nonisolated(unsafe) static var begun = 0
  nonisolated(unsafe) static var ended = 0
}

/// Operations that leak on purpose. The comparisons of traces must tell their runs apart.
struct LeakyTwin {
  let result: Operation.Result

  init?(_ operation: Operation) {
    let arguments = operation.arguments
    if operation.isNamed("leaky-compare", 2) {
      result = .octets([Self.commonPrefixLength(arguments[0], arguments[1])])
    } else if operation.isNamed("leaky-lookup", 1) {
      result = .octets([Self.lookedUp(arguments[0])])
    } else if operation.isNamed("leaky-division", 1) {
      result = .octets([Self.divided(arguments[0])])
    } else {
      return nil
    }
  }

  /// Takes as long as two arguments are alike.
  private static func commonPrefixLength(_ first: [UInt8], _ second: [UInt8]) -> UInt8 {
    var count: UInt8 = 0
    for (first, second) in zip(first, second) {
      if first != second { break }
      count &+= 1
    }
    return count
  }

  /// Goes the same way for any octets, to places of a table that they name.
  private static func lookedUp(_ octets: [UInt8]) -> UInt8 {
    let table = (0..<256).map { UInt8(truncatingIfNeeded: $0 &* 7) }
    return octets.reduce(0) { $0 ^ table[Int($1)] }
  }

  /// Goes the same way for any octets, but a processor may divide large numbers more slowly.
  private static func divided(_ octets: [UInt8]) -> UInt8 {
    octets.reduce(0) { $0 ^ UInt8(truncatingIfNeeded: 0xffff_ffff_ffff / (UInt64($1) &+ 1)) }
  }
}
