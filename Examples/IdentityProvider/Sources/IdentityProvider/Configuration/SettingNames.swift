import Configuration
import Synchronization

/// The known settings: those that have been read. Without this check, a misspelt variable would leave a default in
/// force.
package final class SettingNames: AccessReporter {
  private let known = Mutex<Set<String>>([])

  package init() {}

  /// The names so far.
  var names: Set<String> { known.withLock { $0 } }

  package func report(_ event: AccessEvent) {
    let name = event.metadata.key.components.joined(separator: "_").uppercased()
    known.withLock { _ = $0.insert(name) }
  }

  /// Refuses a variable that looks like a setting, but that the program has never read.
  package func check(_ variables: some Sequence<String>) throws(StartRefusal) {
    let known = self.known.withLock { $0 }
    let own = Set(variables.filter { $0.hasPrefix("IDP_") })
    // Kubernetes sets variables with such names for a service called idp.
    let link = /_(?:SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/
    let unknown = own.subtracting(known).filter { name in
      let host = name.replacing(link, with: "_SERVICE_HOST")
      return !host.hasSuffix("_SERVICE_HOST") || !own.contains(host)
    }
    guard let name = unknown.min() else { return }
    let nearest = known.min { $0.difference(from: name).count < $1.difference(from: name).count }
    let hint = nearest.map { "\($0) is the nearest; " } ?? ""
    throw StartRefusal("There is no setting \(name): \(hint)correct or remove it.")
  }
}
