/// What one check found.
struct DoctorFinding: Sendable {
  /// How a server stood a check.
  enum Verdict: String, Sendable, CaseIterable {
    /// The check could not be made, or does not concern this server.
    case skipped
    /// As it must be.
    case right
    /// It works, but is unsafe or hard on users: something is accepted that should be refused, or refused in a way that
    /// troubles Macs.
    case lenient
    /// Macs fail, or an attacker gets on.
    case wrong
  }

  let name: String
  let verdict: Verdict
  /// What was seen: a status, or why a check was skipped.
  let observed: String
  /// What must be so.
  let rule: String
  /// Who says so.
  let source: String
  /// What it has in common with the other findings of one fault.
  let cause: String
  /// Whether a changed request was sent, which is to be refused.
  let isMutation: Bool

  /// The part of a Mac's day that it belongs to.
  var part: String { String(name.prefix { $0 != ":" }) }
  /// What was looked at in that part.
  var subject: String { part == name ? name : String(name.dropFirst(part.count + 2)) }

  /// What there is to do about it; nil if nothing.
  var advice: String? {
    guard verdict == .wrong || verdict == .lenient else { return nil }
    guard isMutation else { return nil }
    if observed.hasPrefix("accepted") { return "refuse it with 400, before anything is looked up or used up" }
    if observed.hasPrefix("failed") { return "refuse it with 400: a fault of the request is none of the server" }
    if observed.hasPrefix("401") { return "answer 400: by 401 the Mac asks its user for a password that was right" }
    return nil
  }
}
