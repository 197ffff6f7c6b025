/// What can go wrong in one module. Codes have stable names, which are their descriptions.
///
/// More codes may be added to a module: compare, don't switch exhaustively.
public protocol ErrorCode: Hashable, Sendable, CustomStringConvertible {
  /// Those who can be at fault.
  associatedtype Fault: Sendable

  /// Who is at fault.
  var fault: Fault { get }
}

/// An error that has a code.
public protocol ModuleError: Error {
  /// What can go wrong.
  associatedtype Code: ErrorCode

  /// What went wrong.
  var code: Code { get }
}

extension ModuleError {
  /// Those who can be at fault.
  public typealias Fault = Code.Fault

  /// Who is at fault.
  public var fault: Fault { code.fault }
}
