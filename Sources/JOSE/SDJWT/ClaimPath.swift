import StrictJSON

/// Where a claim stands in a claims set: member names and places in arrays, from the outside in.
///
/// ```swift
/// let paths: [ClaimPath] = ["email", ["address", "street"], ["nationalities", 0]]
/// ```
public struct ClaimPath: Hashable, Sendable {
  /// One step down: `"email"` is a member, `0` an element of an array.
  public struct Step: Hashable, Sendable, ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
    enum Kind: Hashable {
      case member(WireName)
      case element(Int)
    }

    let kind: Kind

    /// The member of this name.
    public static func member(_ name: String) -> Step { Step(kind: .member(WireName(name))) }

    /// The element at this place, counted from 0.
    public static func element(_ place: Int) -> Step { Step(kind: .element(place)) }

    private init(kind: Kind) { self.kind = kind }

    /// A member.
    public init(stringLiteral name: String) { self = .member(name) }
    /// An element.
    public init(integerLiteral place: Int) { self = .element(place) }
  }

  /// The steps, from the outside in.
  public let steps: [Step]

  /// A path of these steps.
  public init(_ steps: [Step]) { self.steps = steps }

  func appending(_ step: Step) -> ClaimPath { ClaimPath(steps + [step]) }

  /// Whether the path leads to the other's claim or to something around it.
  func contains(_ other: ClaimPath) -> Bool { other.steps.starts(with: steps) }
}

extension ClaimPath: ExpressibleByStringLiteral, ExpressibleByArrayLiteral {
  /// A member of the claims set itself.
  public init(stringLiteral name: String) { self.init([.member(name)]) }
  /// A path of these steps.
  public init(arrayLiteral steps: Step...) { self.init(steps) }
}

extension ClaimPath: CustomStringConvertible {
  /// `address.street`, `nationalities[0]`.
  public var description: String {
    steps.reduce(into: "") { text, step in
      switch step.kind {
      case .member(let name): text += (text.isEmpty ? "" : ".") + name.text
      case .element(let place): text += "[\(place)]"
      }
    }
  }
}
