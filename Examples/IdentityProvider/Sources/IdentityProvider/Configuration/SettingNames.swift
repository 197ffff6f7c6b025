import Configuration
import Synchronization

/// Which settings there are: those that have been read. One whose name is wrong would leave a default in force.
package final class SettingNames: AccessReporter {
  private let known = Mutex<Set<String>>([])

  package init() {}

  package func report(_ event: AccessEvent) {
    let name = event.metadata.key.components.joined(separator: "_").uppercased()
    known.withLock { _ = $0.insert(name) }
  }

  /// Refuses a variable that is named like a setting, and that nothing has read.
  package func check(_ variables: some Sequence<String>) throws(StartRefusal) {
    let known = self.known.withLock { $0 }
    let own = Set(variables.filter { $0.hasPrefix("IDP_") })
    // By names like these Kubernetes tells programs of its services, and so of one called idp.
    let link = /_(?:SERVICE_PORT(?:_[A-Z0-9_]+)?|PORT(?:_[0-9]+_(?:TCP|UDP|SCTP)(?:_(?:PROTO|PORT|ADDR))?)?)$/
    let unknown = own.subtracting(known).filter { name in
      let host = name.replacing(link, with: "_SERVICE_HOST")
      return !host.hasSuffix("_SERVICE_HOST") || !own.contains(host)
    }
    guard let name = unknown.min() else { return }
    let nearest = known.min { $0.difference(from: name).count < $1.difference(from: name).count }
    throw StartRefusal("There is no setting \(name): \(nearest ?? "none") is the nearest. Correct it, or take it away.")
  }
}
