import Foundation
import PostgresStores

/// A server for the tests of this process, in a temporary folder. It ends with this process, even after a crash: its
/// guard then reads the end of a pipe.
public actor LocalServer {
  /// The one that all tests share.
  public static let shared = Task { try await LocalServer() }

  private let folder: String
  private let process = Process()
  private let input = Pipe()

  private struct NotStarted: Error, CustomStringConvertible {
    let description: String
  }

  /// PostgreSQL refuses to run as root.
  private static let script = """
    folder=$1 bin=$2
    as=
    if [ "$(id -u)" = 0 ]; then
      chown nobody "$folder"
      as="setpriv --reuid nobody --regid nogroup --clear-groups"
    fi
    cd "$folder"
    $as "$bin/initdb" -D "$folder/data" -U provider -A trust -E UTF8 --no-locale --no-sync > "$folder/log" 2>&1
    $as "$bin/postgres" -D "$folder/data" -k "$folder" -c listen_addresses= -c fsync=off >> "$folder/log" 2>&1 &
    server=$!
    cat > /dev/null
    kill -QUIT $server
    wait
    rm -rf "$folder"
    """

  private init() async throws {
    // The path of a socket is 107 octets long at most.
    folder = "/tmp/postgres-stores-\(UUID().uuidString.prefix(8))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", Self.script, "sh", folder, try Self.programs()]
    process.standardInput = input
    try process.run()
    for _ in 0..<600 {
      if (try? await PostgresDatabase.connect(settings(schema: "started"))) != nil { return }
      try await Task.sleep(for: .milliseconds(100))
    }
    throw NotStarted(description: (try? String(contentsOfFile: folder + "/log", encoding: .utf8)) ?? "no server")
  }

  /// Whether this machine has a server that tests can start.
  public static var isInstalled: Bool { (try? programs()) != nil }

  /// The folder of the server's programs, in the newest version.
  private static func programs() throws -> String {
    let parents = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"]
    let folders = parents.flatMap { parent in
      let names = (try? FileManager.default.contentsOfDirectory(atPath: parent)) ?? []
      return names.sorted { ($0.count, $0) > ($1.count, $1) }.map { "\(parent)/\($0)/bin" }
    }
    guard let found = folders.first(where: { FileManager.default.isExecutableFile(atPath: $0 + "/initdb") }) else {
      throw NotStarted(description: "no PostgreSQL server is installed: apt-get install postgresql")
    }
    return found
  }

  /// Settings for a schema of this server.
  public nonisolated func settings(schema: String) -> PostgresSettings {
    PostgresSettings(patient: "host=\(folder) dbname=postgres user=provider", schema: schema)
  }

  /// A schema for one test alone.
  public static func settings() async throws -> PostgresSettings {
    let name = UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
    return try await shared.value.settings(schema: "p\(name)")
  }

  /// The connection to a database for one test alone, for a program that chooses the schema itself.
  public static func database() async throws -> String {
    let server = try await shared.value
    let name = "d" + UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: "")
    let first = try await PostgresDatabase.connect(server.settings(schema: "started"))
    _ = try await first.driver.rows("CREATE DATABASE \(name)")
    return "host=\(server.folder) dbname=\(name) user=provider"
  }
}

extension PostgresSettings {
  /// Settings for a connection, with which a busy machine fails no test.
  package init(patient connection: String, schema: String) {
    self.init(connection: connection)
    (self.schema, maximumConnections) = (schema, 4)
    (waitLimit, openingLimit) = (.seconds(60), .seconds(60))
    (statementLimit, lockLimit, idleLimit) = (.seconds(30), .seconds(10), .seconds(30))
  }
}
