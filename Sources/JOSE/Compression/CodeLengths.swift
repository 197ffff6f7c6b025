/// Lengths of codewords for symbols that occur so and so often.
enum CodeLengths {
  /// The lengths of a prefix code that takes the fewest bits of all whose codewords have at most `limit` bits: 0 for
  /// what doesn't occur, one bit for a symbol that is alone. `limit` is at least log₂ of the number of symbols.
  ///
  /// Package-merge: a codeword of l bits is paid for with a coin of each value 1/2, 1/4 … From the least value up, to
  /// the coins of all symbols come pairs of the cheapest coins of the value below. The 2n − 2 cheapest of the value
  /// 1/2 buy a complete code, and each symbol has as many bits as coins of its own among what was bought.
  ///
  /// Source: L. L. Larmore, D. S. Hirschberg, A fast algorithm for optimal length-limited Huffman codes (1990).
  static func optimal(for counts: [Int], limit: Int) -> [Int] {
    var lengths = [Int](repeating: 0, count: counts.count)
    let symbols = counts.indices.filter { counts[$0] > 0 }.sorted { (counts[$0], $0) < (counts[$1], $1) }
    guard symbols.count > 1 else {
      for symbol in symbols { lengths[symbol] = 1 }
      return lengths
    }
    // Of each value, which of the coins, by their prices, are a symbol's own and no pair.
    var levels: [[Bool]] = []
    var prices: [Int] = []
    for _ in 0..<limit {
      let pairs = stride(from: 0, to: prices.count - 1, by: 2).map { prices[$0] + prices[$0 + 1] }
      var (merged, isOwn) = ([Int](), [Bool]())
      var (own, pair) = (0, 0)
      while own < symbols.count || pair < pairs.count {
        let takesOwn = pair == pairs.count || own < symbols.count && counts[symbols[own]] <= pairs[pair]
        merged.append(takesOwn ? counts[symbols[own]] : pairs[pair])
        isOwn.append(takesOwn)
        if takesOwn { own += 1 } else { pair += 1 }
      }
      levels.append(isOwn)
      prices = merged
    }
    var bought = 2 * symbols.count - 2
    for level in levels.reversed() {
      let own = level.prefix(bought).count { $0 }
      for symbol in symbols.prefix(own) { lengths[symbol] += 1 }
      bought = 2 * (bought - own)
    }
    return lengths
  }
}
