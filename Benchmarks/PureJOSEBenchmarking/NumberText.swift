import Foundation

/// Numbers as a table shows them.
public enum NumberText {
  /// A duration in the unit that keeps three or four digits: `9.84 ns`, `31.2 µs`.
  public static func duration(nanoseconds: Double) -> String {
    switch nanoseconds {
    case ..<1e3: "\(significant(nanoseconds)) ns"
    case ..<1e6: "\(significant(nanoseconds / 1e3)) µs"
    case ..<1e9: "\(significant(nanoseconds / 1e6)) ms"
    default: "\(significant(nanoseconds / 1e9)) s"
    }
  }

  /// A rate or a count: `948`, `31.2 k`, `101 M`.
  public static func count(_ value: Double) -> String {
    switch value {
    case ..<1e3: significant(value)
    case ..<1e6: "\(significant(value / 1e3)) k"
    case ..<1e9: "\(significant(value / 1e6)) M"
    default: "\(significant(value / 1e9)) G"
    }
  }

  /// Two decimals: `1.07`.
  public static func ratio(_ value: Double) -> String {
    String(format: "%.2f", value)
  }

  /// `± 1.3 %`
  public static func spread(_ share: Double) -> String {
    String(format: "± %.1f %%", share * 100)
  }

  /// Three significant digits below 1000, whole numbers above.
  public static func significant(_ value: Double) -> String {
    let decimals = value < 10 ? 2 : value < 100 ? 1 : 0
    return String(format: "%.\(decimals)f", value)
  }
}
