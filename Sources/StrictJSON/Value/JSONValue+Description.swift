// What `print`, `dump`, debuggers and test failures show of values: JSON, and nothing of how it is kept.

extension JSONValue: CustomStringConvertible, CustomDebugStringConvertible {
  /// The value as JSON.
  public var description: String { String(decoding: serialized(), as: UTF8.self) }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

extension JSONObject: CustomStringConvertible, CustomDebugStringConvertible {
  /// The object as JSON.
  public var description: String { String(decoding: serialized(), as: UTF8.self) }

  /// The same as ``description``.
  public var debugDescription: String { description }
}

#if !hasFeature(Embedded)
  extension JSONValue: CustomReflectable {
    /// The elements of an array, the members of an object, or nothing.
    public var customMirror: Mirror {
      switch self {
      case .array(let elements): Mirror(self, unlabeledChildren: elements, displayStyle: .collection)
      case .object(let object): object.customMirror
      default: Mirror(self, children: [])
      }
    }
  }

  extension JSONObject: CustomReflectable {
    /// The members by their names.
    public var customMirror: Mirror {
      Mirror(self, children: members.map { (label: $0.name, value: $0.value as Any) }, displayStyle: .struct)
    }
  }
#endif
