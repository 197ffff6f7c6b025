import JOSE
import StrictJSON

extension OAuthAuthorizationRequest {
  /// What to do about the kind (`acr`) of the login that a request found.
  package enum StepUp: Sendable, Hashable {
    /// The login will do. Its ID token says which kind it is, also where the client has only wished for another.
    case notNeeded
    /// The user has to log in in this way first.
    case needed(String)
    /// The client gets no code, but `unmet_authentication_requirements`, or `login_required` if `prompt` is `none`.
    case unmet
  }

  /// Judges the kind of a login by what the client is registered to need, by `acr_values`, and by `acr` among the
  /// claims of the ID token that are asked for.
  ///
  /// The registration and an essential claim must be met. All else is a wish, which no user who can't meet it fails by.
  ///
  /// Source: OpenID Connect Core 1.0 §3.1.2.1, §5.5.1.1; RFC 9470 §5; OpenID Connect Core Error Code Unmet
  /// Authentication Requirements 1.0.
  ///
  /// - Parameters:
  ///   - context: `acr` of the login that is there.
  ///   - reachable: the kinds of login that its user could do in its place, the preferred one first, before which
  ///     comes what the client prefers. Empty if `prompt` is `none`, and once the user has logged in for this request,
  ///     who would be asked again and again.
  package func stepUp(from context: String?, reachable: [String]) -> StepUp {
    let asked = claims["id_token"]?.objectValue?["acr"]?.objectValue
    var values = asked?["values"]?.arrayValue ?? []
    if let value = asked?["value"], !value.isNull { values.append(value) }
    let isEssential = asked?["essential"]?.boolValue == true
    let named = values.compactMap(\.stringValue)
    let wishes = contextClasses + (isEssential ? [] : named)
    // Values that are no text can't be met, and are a demand nevertheless.
    let demands = [requiredContexts].filter { !$0.isEmpty } + (isEssential && !values.isEmpty ? [named] : [])
    func isEnough(_ context: WireName) -> Bool { demands.allSatisfy { $0.contains(context) } }

    let (context, reachable) = (context.map { WireName($0) }, reachable.wireNames)
    let isEnoughNow = context.map(isEnough) ?? demands.isEmpty
    if isEnoughNow, wishes.isEmpty || context.map(wishes.contains) ?? false { return .notNeeded }
    let wished = wishes.wireNames.filter(reachable.contains)
    if let best = wished.first(where: isEnough) { return .needed(best.text) }
    if isEnoughNow { return .notNeeded }
    return reachable.first(where: isEnough).map { StepUp.needed($0.text) } ?? .unmet
  }
}
