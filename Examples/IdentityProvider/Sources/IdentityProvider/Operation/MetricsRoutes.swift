import HTTPTypes
import Hummingbird
import NIOCore
import PureCrypto
import SQLStores

/// The metrics of the running server, for this machine and for clients with the token.
extension Provider {
  package func addMetricsRoutes(_ metrics: TextMetrics, to router: Router<ProviderContext>) {
    router.get("/metrics") { request, context in
      guard mayReadMetrics(request, context) else { throw HTTPError(.forbidden) }
      return Response(
        status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8", .cacheControl: "no-store"],
        body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(with: await gauges()))))
    }
    router.get("/admin/metrics") { request, _ in
      let (login, visit) = try await mustBeAdmin(request)
      let isHeld = try query(request).values("held").first != nil
      return visit.remembered(in: try await metricsPage(metrics, login, isHeld: isHeld).response())
    }
    refuseOtherMethods(on: router)
  }

  /// What the process and the database take now.
  private func gauges() async -> [TextMetrics.Gauge] {
    var gauges = ProcessUse.now.gauges
    let size = try? await databaseSize.value { [database] in
      try await database.read { session in
        let statement =
          database.dialect == .sqlite
          ? "SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()"
          : "SELECT pg_database_size(current_database())"
        return try session.run(statement, []).rows[0][0].int
      }
    }
    if let size { gauges.append((name: "idp_database_size_bytes", value: Double(size))) }
    return gauges
  }

  /// The metrics as a page, which reloads itself until the administrator pauses it.
  private func metricsPage(_ metrics: TextMetrics, _ login: Login, isHeld: Bool) async throws -> Page {
    let (users, clients, sessions) = try await counts()
    let change: HTML =
      isHeld
      ? "<a href=\"/admin/metrics\">Resume</a>"
      : "This page reloads every five seconds. <a href=\"/admin/metrics?held=1\">Pause</a>"
    var page = admin(
      "Metrics", "metrics", login,
      """
      <p>\(change)</p>
      <dl><dt>Users</dt><dd>\(users)</dd><dt>Clients</dt><dd>\(clients)</dd><dt>Logins in browsers</dt><dd>\(sessions)</dd>\
      <dt>Time</dt><dd>\(Self.text(clock.now))</dd>\(Self.gaugeRows(await gauges()))</dl>
      <h2>Requests since the server began</h2>
      \(HTML.table(["Request", "Answer", "Count", "Milliseconds on average"], Self.requestRows(metrics)))
      <h2>Events</h2>
      \(HTML.table(["Event", "Count"], Self.eventRows(metrics)))
      <p class="quiet">All numbers are at <code>/metrics</code>, for this machine and for clients with the token.</p>
      """)
    if !isHeld { (page.next, page.delay) = ("/admin/metrics", 5) }
    return page
  }

  private static func gaugeRows(_ gauges: [TextMetrics.Gauge]) -> [HTML] {
    gauges.map { gauge in
      let isSize = gauge.name.hasSuffix("_bytes")
      let value = isSize ? "\(Int(gauge.value) >> 20) MiB" : "\(Int(gauge.value))"
      return "<dt><code>\(gauge.name)</code></dt><dd>\(value)</dd>"
    }
  }

  private static func requestRows(_ metrics: TextMetrics) -> [HTML] {
    let rows = metrics.entries("http.server.request.duration").filter { $0.count > 0 }.map { entry in
      let value = { (name: String) in entry.dimensions[name] ?? "" }
      let mean = (entry.sum / Double(entry.count) * 1e5).rounded() / 100
      return (
        name: "\(value("http.route")) \(value("http.request.method"))", status: value("http.response.status_code"),
        count: entry.count, mean: String(mean)
      )
    }
    return rows.sorted { ($0.name, $0.status) < ($1.name, $1.status) }.map { row in
      "<tr><td><code>\(row.name)</code></td><td>\(row.status)</td><td>\(row.count)</td><td>\(row.mean)</td></tr>"
    }
  }

  private static func eventRows(_ metrics: TextMetrics) -> [HTML] {
    let events = metrics.entries("idp_audit_events").map { ($0.dimensions["event"] ?? "", Int($0.sum)) }
    let rotations = metrics.entries("idp_refresh_rotations").map { ("refresh.rotated", Int($0.sum)) }
    return (events + rotations).sorted { $0.0 < $1.0 }.map { name, count in
      "<tr><td>\(name)</td><td>\(count)</td></tr>"
    }
  }

  private func counts() async throws -> (users: Int, clients: Int, sessions: Int) {
    try await database.read { session in
      func count(_ table: StaticString) throws -> Int {
        Int(try session.run("SELECT count(*) FROM \(table)", []).rows[0][0].int)
      }
      return (try count("accounts"), try count("clients"), try count("browserSessions"))
    }
  }

  private func mayReadMetrics(_ request: Request, _ context: ProviderContext) -> Bool {
    if let token = settings.metricsToken, let field = request.headers[.authorization],
      ConstantTime.equal(field.utf8, "Bearer \(token)".utf8)
    {
      return true
    }
    // Behind a proxy, all clients have the proxy's address.
    let names = ["X-Forwarded-For", "Forwarded"].compactMap { HTTPField.Name($0) }
    guard !names.contains(where: { request.headers[$0] != nil }), let address = context.peer?.ipAddress else {
      return false
    }
    return address == "127.0.0.1" || address == "::1"
  }
}
