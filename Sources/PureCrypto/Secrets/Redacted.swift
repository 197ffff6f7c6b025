#if hasFeature(Embedded)
  /// A value that holds a secret and shows none of it to `print` and debuggers: its description is all they get.
  public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible {}
#else
  /// A value that holds a secret and shows none of it to `print`, `dump`, debuggers and test failures: its description
  /// is all they get, and says no more than the type's name unless the type says otherwise.
  public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}
#endif

extension Redacted {
  #if hasFeature(Embedded)
    /// That there is something, and nothing of it.
    public var description: String { "redacted" }
  #else
    /// The type's name, and nothing of the value.
    public var description: String { "\("\(Self.self)".prefix { $0 != "<" })(redacted)" }
  #endif

  /// The same as `description`.
  public var debugDescription: String { description }

  #if !hasFeature(Embedded)
    /// The description, and nothing else.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
  #endif
}
