import Foundation

/// One page of HTML that needs nothing else: a trend for each operation, and bars beside other libraries.
package struct HistoryPage {
  private let history: History
  private let peers: [PeerRow]

  package init(_ history: History, peers: [PeerRow]) {
    self.history = history
    self.peers = peers
  }

  package var html: String {
    let page: Markup = """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
      <title>Benchmarks over time</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <main>
      <h1>Benchmarks over time</h1>
      <p>Medians of one operation, from zero; the band holds the middle half of each run. <span class="slower-text">●</span> slower and
      <span class="faster-text">●</span> faster than the run before, by more than the spread of both and by more than 3 %.</p>
      \(Markup(history.series.map(section)))
      \(peerSection)
      </main>
      </body>
      </html>

      """
    return page.text
  }

  private func section(_ series: History.Series) -> Markup {
    let groups = Self.grouped(series.operations)
    return """
      <section>
      <h2>\(series.machine.processor), backend \(series.backend)</h2>
      <p class="conditions">\(series.configuration) build · \(series.machine.operatingSystem) · \(series.machine.compiler)</p>
      <ol class="runs">\(Markup(series.runs.map { "<li>\($0.label)</li>" }))</ol>
      \(newest(series))
      \(Markup(groups.map { group($0.name, $0.trends, series) }))
      </section>
      """
  }

  /// What the newest run changed.
  private func newest(_ series: History.Series) -> Markup {
    guard series.runs.count > 1 else { return "<p>One run, so there is nothing to compare.</p>" }
    let changes = series.operations.compactMap { trend -> Markup? in
      let name = trend.operation
      return switch trend.change(inRun: series.runs.count - 1) {
      case .none: nil
      case .slower(let ratio): "<li class=\"slower-text\">\(name): \(NumberText.ratio(ratio)) times as long</li>"
      case .faster(let ratio): "<li class=\"faster-text\">\(name): \(NumberText.ratio(ratio)) of the time</li>"
      }
    }
    if changes.isEmpty { return "<p>The newest run is within the spread of the one before.</p>" }
    return "<p>The newest run against the one before:</p><ul class=\"changes\">\(Markup(changes))</ul>"
  }

  private func group(_ name: String, _ trends: [OperationTrend], _ series: History.Series) -> Markup {
    """
    <h3>\(name)</h3>
    <div class="charts">\(Markup(trends.map { card($0, series) }))</div>
    """
  }

  private func card(_ trend: OperationTrend, _ series: History.Series) -> Markup {
    guard let first = trend.points.first, let last = trend.points.last else { return "" }
    let speedUp = NumberText.ratio(first.entry.median / last.entry.median)
    let since = first.run == last.run ? "" : "\(speedUp)× since the first"
    return """
      <figure>
      <figcaption><b>\(trend.operation)</b> <span>\(NumberText.duration(nanoseconds: last.entry.median))</span>
      <small>\(since)</small></figcaption>
      \(TrendChart(trend: trend, runs: series.runs).markup)
      </figure>
      """
  }

  /// Operations by the first word of their names, in the order in which these first come.
  private static func grouped(_ trends: [OperationTrend]) -> [(name: String, trends: [OperationTrend])] {
    var groups: [(name: String, trends: [OperationTrend])] = []
    for trend in trends {
      let name = String(trend.operation.prefix { $0 != "." })
      if let index = groups.firstIndex(where: { $0.name == name }) {
        groups[index].trends.append(trend)
      } else {
        groups.append((name, [trend]))
      }
    }
    return groups
  }
}

extension HistoryPage {
  private var peerSection: Markup {
    if peers.isEmpty { return "" }
    return """
      <section>
      <h2>Beside other libraries</h2>
      <p>Times of one run, side by side: a shorter bar is faster. The number is their time divided by ours.</p>
      \(Markup(peers.map(bars)))
      </section>
      """
  }

  private func bars(_ row: PeerRow) -> Markup {
    let longest = max(row.ours, row.theirs)
    func bar(_ name: String, _ time: Double, _ kind: String) -> Markup {
      """
      <div class="bar"><span class="name">\(name)</span>\
      <span class="track"><span class="\(kind)" style="width:\(time / longest * 100)%"></span></span>\
      <span class="time">\(NumberText.duration(nanoseconds: time))</span></div>
      """
    }
    return """
      <div class="peer"><h3>\(row.operation) <small>\(NumberText.ratio(row.ratio))×</small></h3>
      \(bar("PureJOSE", row.ours, "ours"))
      \(bar(row.peer, row.theirs, "theirs"))
      </div>
      """
  }

  private static let style: Markup = """
    :root{color-scheme:light dark;--ground:#fff;--text:#1a1f26;--faint:#5b6673;--line:#d5dbe1;--median:#1f5fbf;--band:#1f5fbf33;\
    --slower:#b3261e;--faster:#1b7a3d;--ours:#1f5fbf;--theirs:#97a3b0}
    @media (prefers-color-scheme:dark){:root{--ground:#12161b;--text:#e6eaee;--faint:#9aa6b2;--line:#2c343d;--median:#7fb0ff;\
    --band:#7fb0ff33;--slower:#ff8a80;--faster:#7bd69a;--ours:#7fb0ff;--theirs:#5d6975}}
    body{margin:0;background:var(--ground);color:var(--text);font:15px/1.5 system-ui,sans-serif}
    main{max-width:1180px;margin:0 auto;padding:24px}
    h1{font-size:26px;margin:0 0 8px}h2{font-size:19px;margin:40px 0 4px}h3{font-size:15px;margin:24px 0 8px}
    .conditions,small,.runs,.time{color:var(--faint)}.runs{font-size:13px;columns:3 260px;padding-left:22px}
    .charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(270px,1fr));gap:12px}
    figure{margin:0;padding:10px 12px;border:1px solid var(--line);border-radius:8px}
    figcaption{display:flex;flex-wrap:wrap;gap:0 8px;font-size:13px;justify-content:space-between}figcaption small{width:100%}
    svg{width:100%;height:auto;display:block}.ground{stroke:var(--line)}.band{fill:var(--band)}
    .median{fill:none;stroke:var(--median);stroke-width:1.6}.same{fill:var(--median)}.slower{fill:var(--slower)}.faster{fill:var(--faster)}
    .slower-text{color:var(--slower)}.faster-text{color:var(--faster)}.changes{columns:2 320px;font-size:13px}
    .bar{display:grid;grid-template-columns:150px 1fr 90px;gap:8px;align-items:center;font-size:13px;margin:3px 0}
    .track{background:var(--line);border-radius:3px;height:12px;overflow:hidden}.track span{display:block;height:100%}
    .ours{background:var(--ours)}.theirs{background:var(--theirs)}.time{text-align:right}.peer{max-width:760px}
    @media (max-width:520px){.bar{grid-template-columns:90px 1fr 70px}main{padding:14px}}
    """
}
