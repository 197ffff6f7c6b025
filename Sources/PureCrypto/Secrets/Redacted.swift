#if hasFeature(Embedded)
  /// A value that holds a secret and shows none of it to `print` and debuggers: its description is all they get.
  public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible {}
#else
  /// A value that holds a secret and shows none of it to `print`, `dump`, debuggers and test failures: its description
  /// is all they get.
  public protocol Redacted: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {}
#endif

extension Redacted {
  /// The same as `description`.
  public var debugDescription: String { description }

  #if !hasFeature(Embedded)
    /// The description, and nothing else.
    public var customMirror: Mirror { Mirror(self, children: ["description": description]) }
  #endif
}
