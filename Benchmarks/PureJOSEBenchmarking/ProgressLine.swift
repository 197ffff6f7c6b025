import Foundation

/// How far a long run has come, on a line of the terminal that is written over and over, and gone at the end.
///
/// On standard error only, and only if that is a terminal: what is piped or kept in a file has no trace of it.
public struct ProgressLine {
  private let isShown: Bool
  private var lastPercentage = -1

  /// Shown if standard error is a terminal.
  public init() {
    isShown = isatty(STDERR_FILENO) == 1
  }

  /// - Parameters:
  ///   - share: from 0 to 1.
  ///   - text: what is being done.
  public mutating func show(_ share: Double, _ text: String) {
    let percentage = Int(min(max(share, 0), 1) * 100)
    guard isShown, percentage != lastPercentage else { return }
    lastPercentage = percentage
    write(Self.line(percentage: percentage, text))
  }

  /// Takes the line away.
  public mutating func finish() {
    if isShown, lastPercentage >= 0 { write("\r\u{1b}[K") }
    lastPercentage = -1
  }

  /// The line, from its beginning, with what was there before taken away.
  public static func line(percentage: Int, _ text: String) -> String {
    let done = percentage / 5
    let bar = String(repeating: "#", count: done) + String(repeating: "·", count: 20 - done)
    return "\r\u{1b}[K\(bar) \(percentage) %  \(text.prefix(40))"
  }

  private func write(_ text: String) {
    FileHandle.standardError.write(Data(text.utf8))
  }
}
