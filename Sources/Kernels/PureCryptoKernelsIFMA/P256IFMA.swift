#if HARDWARE_KERNELS && arch(x86_64)
  internal import _Builtin_intrinsics.intel

  // Sums of multiples of points of P-256, eight or sixteen at a time: each lane of a vector has a point of its own.
  //
  // Coordinates are five digits of 52 bits, in Montgomery form with R = 2²⁶⁰, and below 2.1 p between operations.
  // They stay in memory, a coordinate of sixteen lanes being two elements side by side, and each operation goes through
  // both: a product waits for its own digits half of the time, in which the processor does the other one.
  //
  // An odd scalar of 256 bits is a sum of ±2ⁱ: bit i of (k + 2²⁵⁶ − 1) / 2 says which. Cut into digits of w
  // bits, each of them is odd, from −(2ʷ − 1) to 2ʷ − 1, so that nothing is ever left out. The complement of
  // those bits stands for −k, and an even k for −(n − k).
  //
  // All types of this file are private to it: see GCMVAES.swift.

  private typealias Vector = SIMD8<Int64>
  private typealias Place = UnsafeMutablePointer<Element>

  /// The bytes of a table of a point P: for each piece of 16 bits of a scalar the odd multiples of 2^(16 · piece) P
  /// below 2⁵, those of 2^(16 · piece + 5) P, and those below 2⁶ of 2^(16 · piece + 10) P. Limbs are in
  /// Montgomery form with R = 2²⁶⁰.
  ///
  /// A public point's table has them in this order, each as the limbs of x and of y. The base point's table for secret
  /// scalars has for each of the three digits, each half of the lanes, and each of the digit's multiples eight vectors,
  /// the limbs of x and of y: lane l of the lower half is of piece l, that of the upper half of piece 12 + l, or 4 + l
  /// from lane 4 on.
  package var p256TableByteCountIFMA: Int { 65_536 }

  /// The bytes of the base point's table for public scalars: the odd multiples below 2⁸ of 2^(8 · row) G.
  package var p256BaseTableByteCountIFMA: Int { 262_144 }

  /// The bytes that the sums need to work in, at an address that is a multiple of 64.
  package var p256RoomByteCountIFMA: Int { 7168 }

  /// Where in the room the sums, the points to be added, and what is computed on the way are.
  private struct Room {
    let start: UnsafeMutableRawPointer

    @inline(__always)
    init(_ start: UnsafeMutableRawPointer) { self.start = start }

    @inline(__always)
    private func place(_ index: Int) -> Place { (start + 640 &* index).assumingMemoryBound(to: Element.self) }

    @inline(__always) var x: Place { place(0) }
    @inline(__always) var y: Place { place(1) }
    @inline(__always) var z: Place { place(2) }
    @inline(__always) var x2: Place { place(3) }
    @inline(__always) var y2: Place { place(4) }
    @inline(__always) var zz: Place { place(5) }
    @inline(__always) var zzz: Place { place(6) }
    @inline(__always) var h: Place { place(7) }
    @inline(__always) var r: Place { place(8) }
    // Here the others are not needed any more.
    @inline(__always) var hh: Place { x2 }
    @inline(__always) var hhh: Place { zzz }
    @inline(__always) var v: Place { zz }
    /// −1 in the lanes whose point is to be subtracted, for sixteen lanes.
    @inline(__always) var signs: UnsafeMutableRawPointer { start + 5760 }
    /// For public scalars: where 80 points are, and −1 for each that is to be subtracted.
    @inline(__always) var entries: UnsafeMutablePointer<UnsafeRawPointer> {
      (start + 5888).assumingMemoryBound(to: UnsafeRawPointer.self)
    }
    @inline(__always) var entrySigns: UnsafeMutablePointer<Int64> {
      (start + 6528).assumingMemoryBound(to: Int64.self)
    }
    /// For secret scalars: the pieces of 16 bits in their lanes, and the number of the point that each lane asks for.
    @inline(__always) var pieces: UnsafeMutableRawPointer { start + 5888 }
    @inline(__always) var numbers: UnsafeMutableRawPointer { start + 6016 }
  }

  /// k · G for a secret k.
  /// - Parameter result: room for 15 words: the digits of X, Y and Z in Jacobian coordinates, in Montgomery form with
  ///   R = 2²⁵⁶, below 2p.
  /// - Parameter bits: four limbs: which powers of 2 count positively.
  /// - Parameter table: the base point's, for secret scalars.
  ///
  /// The processor must have AVX-512 F, DQ and IFMA.
  ///
  /// Timing: does not depend on k.
  package func p256BaseMultipleIFMA(
    result: UnsafeMutablePointer<UInt64>, bits: UnsafePointer<UInt64>, table: UnsafeRawPointer,
    room start: UnsafeMutableRawPointer
  ) {
    let room = Room(start)
    let words = bits.withMemoryRebound(to: Int64.self, capacity: 4) { SIMD4($0[0], $0[1], $0[2], $0[3]) }
    let shifts = Vector(0, 16, 32, 48, 0, 16, 32, 48)
    let (b0, b1, b2, b3) = (words[0], words[1], words[2], words[3])
    room.pieces.storeBytes(of: _mm512_srlv_epi64(Vector(b0, b0, b0, b0, b1, b1, b1, b1), shifts), as: Vector.self)
    room.pieces.storeBytes(
      of: _mm512_srlv_epi64(Vector(b3, b3, b3, b3, b2, b2, b2, b2), shifts), toByteOffset: 64, as: Vector.self)
    select(start, table, position: 0, width: 5)
    p256BeginIFMA(room: start)
    select(start, table + 16_384, position: 5, width: 5)
    p256AddAffineIFMA(room: start)
    select(start, table + 32_768, position: 10, width: 6)
    p256AddIFMA(room: start)
    p256SumOfLanesIFMA(result: result, room: start)
  }

  /// u₁ · G + u₂ · Q, all of it public, unless an exceptional case of the formulas came up on the way: Z is 0
  /// then.
  /// - Parameter bits1: four limbs: which powers of 2 count positively in u₁; likewise `bits2` in u₂.
  /// - Parameter baseTable: the base point's, for public scalars.
  package func p256DoubleMultipleIFMA(
    result: UnsafeMutablePointer<UInt64>, bits1: UnsafePointer<UInt64>, bits2: UnsafePointer<UInt64>,
    baseTable: UnsafeRawPointer, keyTable: UnsafeRawPointer, room start: UnsafeMutableRawPointer
  ) {
    let room = Room(start)
    var count = 0
    var row = 0
    @inline(__always)
    func note(_ digit: UInt64, width: UInt64, table: UnsafeRawPointer) {
      // A digit without its highest bit is negative, and the complement of it is the magnitude's number.
      let sign = digit &>> (width &- 1) &- 1
      let number = (digit ^ sign) & (1 &<< (width &- 1) &- 1)
      room.entries[count] = table + Int(truncatingIfNeeded: number &<< 6)
      room.entrySigns[count] = Int64(bitPattern: sign)
      count &+= 1
    }
    while row < 32 {
      let digit = bits1[row &>> 3] &>> (8 &* UInt64(truncatingIfNeeded: row & 7)) & 0xff
      note(digit, width: 8, table: baseTable + row &* 8192)
      row &+= 1
    }
    row = 0
    while row < 16 {
      let piece = bits2[row &>> 2] &>> (16 &* UInt64(truncatingIfNeeded: row & 3)) & 0xffff
      let table = keyTable + row &* 4096
      note(piece & 31, width: 5, table: table)
      note(piece &>> 5 & 31, width: 5, table: table + 1024)
      note(piece &>> 10, width: 6, table: table + 2048)
      row &+= 1
    }
    gather(start, first: 0)
    p256BeginIFMA(room: start)
    gather(start, first: 16)
    p256AddAffineIFMA(room: start)
    gather(start, first: 32)
    p256AddIFMA(room: start)
    gather(start, first: 48)
    p256AddIFMA(room: start)
    gather(start, first: 64)
    p256AddIFMA(room: start)
    p256SumOfLanesIFMA(result: result, room: start)
  }

  // Out of line, through pointers: with all products inlined this file takes longer to compile than the other kernels
  // together. Not private, so that they are the same functions whether files or whole modules are compiled.

  /// Reads the points that sixteen lanes ask for by secret digits. All of them are read.
  /// - Parameter table: those of this digit.
  @inline(__always)
  private func select(_ room: UnsafeMutableRawPointer, _ table: UnsafeRawPointer, position: Int, width: Int) {
    p256NumbersIFMA(room: room, half: 0, position: position, width: width)
    p256SelectIFMA(room: room, half: 0, table: table, columnCount: 1 &<< (width &- 1))
    p256NumbersIFMA(room: room, half: 1, position: position, width: width)
    p256SelectIFMA(room: room, half: 1, table: table + 256 &<< width, columnCount: 1 &<< (width &- 1))
  }

  /// Reads sixteen points from where public digits say that they are.
  /// - Parameter first: the number of the first among the room's entries.
  @inline(__always)
  private func gather(_ room: UnsafeMutableRawPointer, first: Int) {
    p256GatherIFMA(room: room, half: 0, first: first)
    p256GatherIFMA(room: room, half: 1, first: first &+ 8)
  }

  /// The numbers of the points of a digit, from 0, and −1 in the lanes whose point is to be subtracted.
  ///
  /// Where a compiler knew that a mask has two values, it made masked loads of selections.
  @inline(never)
  package func p256NumbersIFMA(room start: UnsafeMutableRawPointer, half: Int, position: Int, width: Int) {
    let room = Room(start)
    let piece = (room.pieces + half &* 64).load(as: Vector.self)
    let highest = Int64(truncatingIfNeeded: width &- 1)
    let digit = _mm512_srlv_epi64(piece, Vector(repeating: Int64(truncatingIfNeeded: position)))
    // A digit without its highest bit is negative, and the complement of it is the magnitude's number.
    let one = Vector(repeating: 1)
    let sign = _mm512_sub_epi64(
      _mm512_and_si512(_mm512_srlv_epi64(digit, Vector(repeating: highest)), one), one)
    let mask = Vector(repeating: (1 &<< highest) &- 1)
    (room.signs + half &* 64).storeBytes(of: sign, as: Vector.self)
    room.numbers.storeBytes(of: _mm512_and_si512(_mm512_xor_si512(digit, sign), mask), as: Vector.self)
  }

  /// The points of one digit that eight lanes ask for. All of them are read.
  @inline(never)
  package func p256SelectIFMA(
    room start: UnsafeMutableRawPointer, half: Int, table: UnsafeRawPointer, columnCount: Int
  ) {
    let room = Room(start)
    let wanted = room.numbers.load(as: Vector.self)
    var (x0, x1, x2, x3) = (Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0))
    var (y0, y1, y2, y3) = (Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0), Vector(repeating: 0))
    var number = Vector(repeating: 0)
    var entry = table
    for _ in 0..<columnCount {
      // Negative exactly where the two are the same, since both are small.
      let difference = _mm512_xor_si512(wanted, number)
      let mask = _mm512_srai_epi64(_mm512_sub_epi64(difference, Vector(repeating: 1)), 63)
      x0 = _mm512_or_si512(x0, _mm512_and_si512(mask, entry.loadUnaligned(as: Vector.self)))
      x1 = _mm512_or_si512(x1, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 64, as: Vector.self)))
      x2 = _mm512_or_si512(x2, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 128, as: Vector.self)))
      x3 = _mm512_or_si512(x3, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 192, as: Vector.self)))
      y0 = _mm512_or_si512(y0, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 256, as: Vector.self)))
      y1 = _mm512_or_si512(y1, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 320, as: Vector.self)))
      y2 = _mm512_or_si512(y2, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 384, as: Vector.self)))
      y3 = _mm512_or_si512(y3, _mm512_and_si512(mask, entry.loadUnaligned(fromByteOffset: 448, as: Vector.self)))
      number = _mm512_add_epi64(number, Vector(repeating: 1))
      entry += 512
    }
    (room.x2 + half).initialize(to: Element(x0, x1, x2, x3))
    (room.y2 + half).initialize(to: Element(y0, y1, y2, y3))
  }

  /// Reads eight points from where public digits say that they are.
  @inline(never)
  package func p256GatherIFMA(room start: UnsafeMutableRawPointer, half: Int, first: Int) {
    let room = Room(start)
    let entries = room.entries + first
    // Eight rows of eight limbs are transposed: pairs, pairs of pairs, halves.
    let (a0, a1) = pairs(entries[0], entries[1])
    let (a2, a3) = pairs(entries[2], entries[3])
    let (a4, a5) = pairs(entries[4], entries[5])
    let (a6, a7) = pairs(entries[6], entries[7])
    let (low, high) = (Vector(0, 1, 8, 9, 4, 5, 12, 13), Vector(2, 3, 10, 11, 6, 7, 14, 15))
    // b0: limbs 0 and 4 of the first four points, b1: 1 and 5, b2: 2 and 6, b3: 3 and 7; c: of the other four.
    let b0 = _mm512_permutex2var_epi64(a0, low, a2)
    let b1 = _mm512_permutex2var_epi64(a1, low, a3)
    let b2 = _mm512_permutex2var_epi64(a0, high, a2)
    let b3 = _mm512_permutex2var_epi64(a1, high, a3)
    let c0 = _mm512_permutex2var_epi64(a4, low, a6)
    let c1 = _mm512_permutex2var_epi64(a5, low, a7)
    let c2 = _mm512_permutex2var_epi64(a4, high, a6)
    let c3 = _mm512_permutex2var_epi64(a5, high, a7)
    let (lower, upper) = (Vector(0, 1, 2, 3, 8, 9, 10, 11), Vector(4, 5, 6, 7, 12, 13, 14, 15))
    (room.x2 + half).initialize(
      to: Element(
        _mm512_permutex2var_epi64(b0, lower, c0), _mm512_permutex2var_epi64(b1, lower, c1),
        _mm512_permutex2var_epi64(b2, lower, c2), _mm512_permutex2var_epi64(b3, lower, c3)))
    (room.y2 + half).initialize(
      to: Element(
        _mm512_permutex2var_epi64(b0, upper, c0), _mm512_permutex2var_epi64(b1, upper, c1),
        _mm512_permutex2var_epi64(b2, upper, c2), _mm512_permutex2var_epi64(b3, upper, c3)))
    let signs = UnsafeRawPointer(room.entrySigns + first).loadUnaligned(as: Vector.self)
    (room.signs + half &* 64).storeBytes(of: signs, as: Vector.self)
  }

  /// Of two points the limbs with even numbers, in turn, and those with odd ones.
  @inline(__always)
  private func pairs(_ first: UnsafeRawPointer, _ second: UnsafeRawPointer) -> (Vector, Vector) {
    let (a, b) = (first.loadUnaligned(as: Vector.self), second.loadUnaligned(as: Vector.self))
    return (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b))
  }

  // MARK: - Points

  // With H = X₂Z₁² − X₁ and r = Y₂Z₁³ − Y₁ the sum of (X₁ : Y₁ : Z₁) and (X₂, Y₂) is
  //
  //     X₃ = r² − H³ − 2X₁H²
  //     Y₃ = r (X₁H² − X₃) − Y₁H³
  //     Z₃ = Z₁H
  //
  // unless H is 0: then Z is, for good.

  /// The sum begins with the affine points of the room.
  @inline(never)
  package func p256BeginIFMA(room start: UnsafeMutableRawPointer) {
    let room = Room(start)
    copy(room.x2, to: room.x)
    room.h.initialize(to: Element())
    (room.h + 1).initialize(to: Element())
    p256SignedDifferenceIFMA(difference: room.y, a: room.y2, b: room.h, signs: room.signs, count: 2)
  }

  /// Adds affine points to sums that are the first affine points yet, or subtracts them.
  @inline(never)
  package func p256AddAffineIFMA(room start: UnsafeMutableRawPointer) {
    let room = Room(start)
    p256DifferenceIFMA(difference: room.h, a: room.x2, b: room.x, count: 2)
    p256SignedDifferenceIFMA(difference: room.r, a: room.y2, b: room.y, signs: room.signs, count: 2)
    copy(room.h, to: room.z)
    p256FinishIFMA(room: start, count: 2)
  }

  /// Adds affine points to the sums, or subtracts them.
  @inline(never)
  package func p256AddIFMA(room start: UnsafeMutableRawPointer) {
    let room = Room(start)
    p256SquareIFMA(square: room.zz, a: room.z, count: 2)
    p256ProductIFMA(product: room.zzz, a: room.zz, b: room.z, count: 2)
    p256ProductIFMA(product: room.h, a: room.x2, b: room.zz, count: 2)
    p256DifferenceIFMA(difference: room.h, a: room.h, b: room.x, count: 2)
    p256ProductIFMA(product: room.r, a: room.y2, b: room.zzz, count: 2)
    p256SignedDifferenceIFMA(difference: room.r, a: room.r, b: room.y, signs: room.signs, count: 2)
    p256ProductIFMA(product: room.z, a: room.z, b: room.h, count: 2)
    p256FinishIFMA(room: start, count: 2)
  }

  /// X₃ and Y₃ from X₁, Y₁, H and r.
  @inline(never)
  package func p256FinishIFMA(room start: UnsafeMutableRawPointer, count: Int) {
    let room = Room(start)
    p256SquareIFMA(square: room.hh, a: room.h, count: count)
    p256ProductIFMA(product: room.v, a: room.x, b: room.hh, count: count)
    p256ProductIFMA(product: room.hhh, a: room.hh, b: room.h, count: count)
    p256SquareIFMA(square: room.x, a: room.r, count: count)
    p256ProductIFMA(product: room.y, a: room.y, b: room.hhh, count: count)
    p256NextXIFMA(x: room.x, hhh: room.hhh, v: room.v, count: count)
    p256ProductIFMA(product: room.v, a: room.v, b: room.r, count: count)
    p256DifferenceIFMA(difference: room.y, a: room.v, b: room.y, count: count)
  }

  /// The sum of the points of all sixteen lanes, as ``p256BaseMultipleIFMA(result:bits:table:room:)`` returns it.
  ///
  /// Both halves are added, then lanes with their neighbours, pairs with pairs, fours with fours. With
  ///
  ///     U₁ = X₁Z₂²
  ///     U₂ = X₂Z₁²
  ///     S₁ = Y₁Z₂³
  ///     S₂ = Y₂Z₁³
  ///
  /// the sum of (X₁ : Y₁ : Z₁) and (X₂ : Y₂ : Z₂) is that of (U₁ : S₁ : Z₁Z₂) and
  /// (U₂ : S₂ : Z₁Z₂).
  @inline(never)
  package func p256SumOfLanesIFMA(result: UnsafeMutablePointer<UInt64>, room start: UnsafeMutableRawPointer) {
    let room = Room(start)
    p256SquareIFMA(square: room.zz, a: room.z, count: 2)
    p256ProductIFMA(product: room.zzz, a: room.zz, b: room.z, count: 2)
    // What the other half is multiplied by stands first.
    exchange(room.zz, room.zz + 1)
    exchange(room.zzz, room.zzz + 1)
    p256ProductIFMA(product: room.x, a: room.x, b: room.zz, count: 2)
    p256ProductIFMA(product: room.z, a: room.z, b: room.z + 1, count: 1)
    p256DifferenceIFMA(difference: room.h, a: room.x + 1, b: room.x, count: 1)
    p256ProductIFMA(product: room.y, a: room.y, b: room.zzz, count: 2)
    p256ProductIFMA(product: room.z, a: room.z, b: room.h, count: 1)
    p256DifferenceIFMA(difference: room.r, a: room.y + 1, b: room.y, count: 1)
    p256FinishIFMA(room: start, count: 1)
    // The sum of two lanes comes out in both of them, with opposite signs of Y and Z.
    var lanes = (
      Vector(1, 0, 3, 2, 5, 4, 7, 6), Vector(2, 3, 0, 1, 6, 7, 4, 5), Vector(4, 5, 6, 7, 0, 1, 2, 3)
    )
    withUnsafeBytes(of: &lanes) { lanes in
      var step = 0
      while step < 192 {
        fold(room: start, lanes: lanes.loadUnaligned(fromByteOffset: step, as: Vector.self))
        step &+= 64
      }
    }
    // From R = 2²⁶⁰ to R = 2²⁵⁶.
    room.h.initialize(to: .shorterRadix)
    p256ProductIFMA(product: room.x, a: room.x, b: room.h, count: 1)
    p256ProductIFMA(product: room.y, a: room.y, b: room.h, count: 1)
    p256ProductIFMA(product: room.z, a: room.z, b: room.h, count: 1)
    room.x.pointee.storeLowest(to: result)
    room.y.pointee.storeLowest(to: result + 5)
    room.z.pointee.storeLowest(to: result + 10)
  }

  /// Adds to the point of each lane that of another.
  @inline(__always)
  private func fold(room start: UnsafeMutableRawPointer, lanes: Vector) {
    let room = Room(start)
    p256SquareIFMA(square: room.zz, a: room.z, count: 1)
    p256ProductIFMA(product: room.zzz, a: room.zz, b: room.z, count: 1)
    permute(room.zz, lanes)
    p256ProductIFMA(product: room.x, a: room.x, b: room.zz, count: 1)
    (room.x + 1).initialize(to: room.x.pointee)
    permute(room.x + 1, lanes)
    p256DifferenceIFMA(difference: room.h, a: room.x + 1, b: room.x, count: 1)
    permute(room.zzz, lanes)
    p256ProductIFMA(product: room.y, a: room.y, b: room.zzz, count: 1)
    (room.y + 1).initialize(to: room.y.pointee)
    permute(room.y + 1, lanes)
    p256DifferenceIFMA(difference: room.r, a: room.y + 1, b: room.y, count: 1)
    (room.z + 1).initialize(to: room.z.pointee)
    permute(room.z + 1, lanes)
    p256ProductIFMA(product: room.z, a: room.z, b: room.z + 1, count: 1)
    p256ProductIFMA(product: room.z, a: room.z, b: room.h, count: 1)
    p256FinishIFMA(room: start, count: 1)
  }

  @inline(__always)
  private func permute(_ element: Place, _ lanes: Vector) {
    element.initialize(to: element.pointee.permuted(lanes))
  }

  @inline(__always)
  private func copy(_ elements: Place, to place: Place) {
    place.initialize(to: elements.pointee)
    (place + 1).initialize(to: (elements + 1).pointee)
  }

  @inline(__always)
  private func exchange(_ first: Place, _ second: Place) {
    let element = first.pointee
    first.initialize(to: second.pointee)
    second.initialize(to: element)
  }

  // MARK: - Tables

  // Sixteen rows of odd multiples at once, one in each lane: sums with Z, then one inversion for all Z.

  /// The bytes that a place for `count` multiples of sixteen points needs.
  package func p256RowsByteCountIFMA(count: Int) -> Int { count &* 2560 }

  /// P, 3P, 5P, … `count` multiples of sixteen public points, and the products of all Z in each lane, which the
  /// caller inverts.
  /// - Parameter rows: for each multiple X, Y, Z, and the product of Z up to it.
  /// - Parameter points: where the 16 points P and then the 16 points 2P are, as the limbs of x and of y.
  /// - Parameter products: room for 16 times 5 words: digits in Montgomery form with R = 2²⁵⁶, below 2p.
  @inline(never)
  package func p256OddMultiplesIFMA(
    rows: UnsafeMutableRawPointer, count: Int, points: UnsafePointer<UnsafeRawPointer>,
    products: UnsafeMutablePointer<UInt64>, room start: UnsafeMutableRawPointer
  ) {
    let room = Room(start)
    var index = 0
    while index < 32 {
      room.entries[index] = points[index]
      room.entrySigns[index] = 0
      index &+= 1
    }
    gather(start, first: 0)
    p256BeginIFMA(room: start)
    var row = rows
    index = 0
    while index < count {
      if index > 0 {
        gather(start, first: 16)
        if index == 1 { p256AddAffineIFMA(room: start) } else { p256AddIFMA(room: start) }
      }
      let place = row.assumingMemoryBound(to: Element.self)
      copy(room.x, to: place)
      copy(room.y, to: place + 2)
      copy(room.z, to: place + 4)
      // The first two are Z₂ and itself: Z₁ is 1.
      if index > 1 {
        p256ProductIFMA(product: place + 6, a: place - 2, b: room.z, count: 2)
      } else {
        copy(room.z, to: place + 6)
      }
      row += 2560
      index &+= 1
    }
    room.h.initialize(to: .shorterRadix)
    (room.h + 1).initialize(to: .shorterRadix)
    p256ProductIFMA(product: room.r, a: row - 640, b: room.h, count: 2)
    index = 0
    while index < 16 {
      let words = UnsafeRawPointer(room.r + index &>> 3).assumingMemoryBound(to: UInt64.self) + (index & 7)
      var digit = 0
      while digit < 5 {
        products[5 &* index &+ digit] = words[8 &* digit]
        digit &+= 1
      }
      index &+= 1
    }
  }

  /// Brings what ``p256OddMultiplesIFMA(rows:count:points:products:room:)`` left in `rows` to affine coordinates, and
  /// writes tables.
  /// - Parameter inverses: where the inverses of the products are, four limbs each, in Montgomery form with
  ///   R = 2²⁶⁰.
  /// - Parameter table: the first point of lane 0.
  /// - Parameter stride: for a table of points one by one, the distance of rows in bytes; 0 for a table of eight
  ///   vectors for each half of the lanes and each multiple.
  @inline(never)
  package func p256TableIFMA(
    rows: UnsafeMutableRawPointer, count: Int, inverses: UnsafePointer<UnsafeRawPointer>,
    table: UnsafeMutableRawPointer, stride: Int, room start: UnsafeMutableRawPointer
  ) {
    let room = Room(start)
    var index = 0
    while index < 16 {
      room.entries[index] = inverses[index]
      room.entrySigns[index] = 0
      index &+= 1
    }
    gather(start, first: 0)
    // x2: the inverse of the product of all Z up to this one.
    index = count
    while index > 0 {
      index &-= 1
      let place = (rows + 2560 &* index).assumingMemoryBound(to: Element.self)
      if index > 0 {
        if index > 1 {
          p256ProductIFMA(product: room.z, a: room.x2, b: place - 2, count: 2)
        } else {
          copy(room.x2, to: room.z)
        }
        p256ProductIFMA(product: room.x2, a: room.x2, b: place + 4, count: 2)
        p256SquareIFMA(square: room.zz, a: room.z, count: 2)
        p256ProductIFMA(product: room.zzz, a: room.zz, b: room.z, count: 2)
        p256ProductIFMA(product: place, a: place, b: room.zz, count: 2)
        p256ProductIFMA(product: place + 2, a: place + 2, b: room.zzz, count: 2)
      }
      var half = 0
      while half < 2 {
        let (x0, x1, x2, x3) = place[half].limbs
        let (y0, y1, y2, y3) = place[2 &+ half].limbs
        let entry = stride == 0 ? table + (half &* count &+ index) &* 512 : UnsafeMutableRawPointer(room.r)
        entry.storeBytes(of: x0, as: Vector.self)
        entry.storeBytes(of: x1, toByteOffset: 64, as: Vector.self)
        entry.storeBytes(of: x2, toByteOffset: 128, as: Vector.self)
        entry.storeBytes(of: x3, toByteOffset: 192, as: Vector.self)
        entry.storeBytes(of: y0, toByteOffset: 256, as: Vector.self)
        entry.storeBytes(of: y1, toByteOffset: 320, as: Vector.self)
        entry.storeBytes(of: y2, toByteOffset: 384, as: Vector.self)
        entry.storeBytes(of: y3, toByteOffset: 448, as: Vector.self)
        if stride > 0 {
          scatter(entry, to: table + 8 &* half &* stride + 64 &* index, stride: stride)
        }
        half &+= 1
      }
    }
  }

  /// Writes the limbs of eight points, lane by lane.
  @inline(__always)
  private func scatter(_ limbs: UnsafeMutableRawPointer, to table: UnsafeMutableRawPointer, stride: Int) {
    var lane = 0
    while lane < 8 {
      let point = table + lane &* stride
      var limb = 0
      while limb < 64 {
        let word = limbs.load(fromByteOffset: 8 &* (limb &+ lane), as: UInt64.self)
        point.storeBytes(of: word, toByteOffset: limb, as: UInt64.self)
        limb &+= 8
      }
      lane &+= 1
    }
  }

  // MARK: - Elements in memory

  // Each may write where it reads.

  /// a · b mod p in each lane of `count` elements.
  @inline(never)
  package func p256ProductIFMA(
    product: UnsafeMutableRawPointer, a: UnsafeRawPointer, b: UnsafeRawPointer, count: Int
  ) {
    var offset = 0
    while offset < 320 &* count {
      let value = Element.product(
        a.load(fromByteOffset: offset, as: Element.self), b.load(fromByteOffset: offset, as: Element.self))
      product.storeBytes(of: value, toByteOffset: offset, as: Element.self)
      offset &+= 320
    }
  }

  /// a² mod p.
  @inline(never)
  package func p256SquareIFMA(square: UnsafeMutableRawPointer, a: UnsafeRawPointer, count: Int) {
    var offset = 0
    while offset < 320 &* count {
      let value = a.load(fromByteOffset: offset, as: Element.self).square
      square.storeBytes(of: value, toByteOffset: offset, as: Element.self)
      offset &+= 320
    }
  }

  /// a − b mod p.
  @inline(never)
  package func p256DifferenceIFMA(
    difference: UnsafeMutableRawPointer, a: UnsafeRawPointer, b: UnsafeRawPointer, count: Int
  ) {
    var offset = 0
    while offset < 320 &* count {
      let value =
        a.load(fromByteOffset: offset, as: Element.self) - b.load(fromByteOffset: offset, as: Element.self)
      difference.storeBytes(of: value, toByteOffset: offset, as: Element.self)
      offset &+= 320
    }
  }

  /// a − b mod p, or −a − b where the sign is −1.
  @inline(never)
  package func p256SignedDifferenceIFMA(
    difference: UnsafeMutableRawPointer, a: UnsafeRawPointer, b: UnsafeRawPointer, signs: UnsafeRawPointer, count: Int
  ) {
    var offset = 0
    var signs = signs
    while offset < 320 &* count {
      let value = a.load(fromByteOffset: offset, as: Element.self)
        .withSign(signs.load(as: Vector.self), minus: b.load(fromByteOffset: offset, as: Element.self))
      difference.storeBytes(of: value, toByteOffset: offset, as: Element.self)
      signs += 64
      offset &+= 320
    }
  }

  /// x ← x − hhh − 2v, which is X₃, and v ← v − x mod p.
  @inline(never)
  package func p256NextXIFMA(
    x: UnsafeMutableRawPointer, hhh: UnsafeRawPointer, v: UnsafeMutableRawPointer, count: Int
  ) {
    var offset = 0
    while offset < 320 &* count {
      let factor = v.load(fromByteOffset: offset, as: Element.self)
      let next = x.load(fromByteOffset: offset, as: Element.self)
        .minus(hhh.load(fromByteOffset: offset, as: Element.self), factor)
      x.storeBytes(of: next, toByteOffset: offset, as: Element.self)
      v.storeBytes(of: factor - next, toByteOffset: offset, as: Element.self)
      offset &+= 320
    }
  }

  // MARK: - The field

  /// Integers mod p = 2²⁵⁶ − 2²²⁴ + 2¹⁹² + 2⁹⁶ − 1, one in each lane.
  private struct Element {
    private var d0, d1, d2, d3, d4: Vector

    /// 0
    @inline(__always)
    init() {
      d0 = Vector(repeating: 0)
      d1 = Vector(repeating: 0)
      d2 = Vector(repeating: 0)
      d3 = Vector(repeating: 0)
      d4 = Vector(repeating: 0)
    }

    @inline(__always)
    private init(_ d0: Vector, _ d1: Vector, _ d2: Vector, _ d3: Vector, _ d4: Vector) {
      (self.d0, self.d1, self.d2, self.d3, self.d4) = (d0, d1, d2, d3, d4)
    }

    /// Of limbs of 64 bits.
    @inline(__always)
    init(_ x0: Vector, _ x1: Vector, _ x2: Vector, _ x3: Vector) {
      d0 = low(x0)
      d1 = low(_mm512_or_si512(_mm512_srli_epi64(x0, 52), _mm512_slli_epi64(x1, 12)))
      d2 = low(_mm512_or_si512(_mm512_srli_epi64(x1, 40), _mm512_slli_epi64(x2, 24)))
      d3 = low(_mm512_or_si512(_mm512_srli_epi64(x2, 28), _mm512_slli_epi64(x3, 36)))
      d4 = _mm512_srli_epi64(x3, 16)
    }

    /// 2²⁵⁶ mod p, as an integer: what takes Montgomery's form to R = 2²⁵⁶.
    static var shorterRadix: Element {
      @inline(__always) get {
        Element(
          Vector(repeating: 1), Vector(repeating: 0xf_f000_0000_0000), Vector(repeating: 0xf_ffff_ffff_ffff),
          Vector(repeating: 0xf_ffef_ffff_ffff), Vector(repeating: 0xffff))
      }
    }

    /// The columns of a product, reduced.
    @inline(__always)
    private init(
      columns c0: Vector, _ c1: Vector, _ c2: Vector, _ c3: Vector, _ c4: Vector, _ c5: Vector, _ c6: Vector,
      _ c7: Vector, _ c8: Vector, _ c9: Vector
    ) {
      var (c1, c2, c3, c4, c5, c6, c7, c8, c9) = (c1, c2, c3, c4, c5, c6, c7, c8, c9)
      // p = −1 mod 2⁵²: the lowest digit is how often p is to be added, and p + 1 is what that adds above it.
      Element.take(c0, &c1, &c2, &c3, &c4, &c5)
      Element.take(c1, &c2, &c3, &c4, &c5, &c6)
      Element.take(c2, &c3, &c4, &c5, &c6, &c7)
      Element.take(c3, &c4, &c5, &c6, &c7, &c8)
      Element.take(c4, &c5, &c6, &c7, &c8, &c9)
      self.init(c5, c6, c7, c8, c9)
      carryUnsigned()
    }

    @inline(__always)
    private static func take(
      _ q: Vector, _ c1: inout Vector, _ c2: inout Vector, _ c3: inout Vector, _ c4: inout Vector, _ c5: inout Vector
    ) {
      // p + 1 = 2⁴⁴ · 2⁵² + 2³⁶ · 2¹⁵⁶ + (2⁴⁸ − 2¹⁶) · 2²⁰⁸
      let (p1, p3, p4) = (
        Vector(repeating: 1 &<< 44), Vector(repeating: 1 &<< 36), Vector(repeating: 0xffff_ffff_0000)
      )
      c1 = _mm512_add_epi64(_mm512_madd52lo_epu64(c1, q, p1), _mm512_srli_epi64(q, 52))
      c2 = _mm512_madd52hi_epu64(c2, q, p1)
      c3 = _mm512_madd52lo_epu64(c3, q, p3)
      c4 = _mm512_madd52lo_epu64(_mm512_madd52hi_epu64(c4, q, p3), q, p4)
      c5 = _mm512_madd52hi_epu64(c5, q, p4)
    }

    @inline(__always)
    private mutating func carryUnsigned() {
      d1 = _mm512_add_epi64(d1, _mm512_srli_epi64(d0, 52))
      d2 = _mm512_add_epi64(d2, _mm512_srli_epi64(d1, 52))
      d3 = _mm512_add_epi64(d3, _mm512_srli_epi64(d2, 52))
      d4 = _mm512_add_epi64(d4, _mm512_srli_epi64(d3, 52))
      d0 = low(d0)
      d1 = low(d1)
      d2 = low(d2)
      d3 = low(d3)
    }

    /// Of digits that may be negative, of an integer from −8p to 8p: between p and 2.1 p.
    @inline(__always)
    private mutating func reduce() {
      // As many p as the highest digit says, less one, so that nothing goes below zero.
      let t = _mm512_sub_epi64(_mm512_srai_epi64(d4, 48), Vector(repeating: 1))
      d0 = _mm512_add_epi64(d0, t)
      d1 = _mm512_sub_epi64(d1, _mm512_slli_epi64(t, 44))
      d3 = _mm512_sub_epi64(d3, _mm512_slli_epi64(t, 36))
      d4 = _mm512_add_epi64(_mm512_sub_epi64(d4, _mm512_slli_epi64(t, 48)), _mm512_slli_epi64(t, 16))
      d1 = _mm512_add_epi64(d1, _mm512_srai_epi64(d0, 52))
      d2 = _mm512_add_epi64(d2, _mm512_srai_epi64(d1, 52))
      d3 = _mm512_add_epi64(d3, _mm512_srai_epi64(d2, 52))
      d4 = _mm512_add_epi64(d4, _mm512_srai_epi64(d3, 52))
      d0 = low(d0)
      d1 = low(d1)
      d2 = low(d2)
      d3 = low(d3)
    }

    @inline(__always)
    static func - (a: Element, b: Element) -> Element {
      var difference = Element(
        _mm512_sub_epi64(a.d0, b.d0), _mm512_sub_epi64(a.d1, b.d1), _mm512_sub_epi64(a.d2, b.d2),
        _mm512_sub_epi64(a.d3, b.d3), _mm512_sub_epi64(a.d4, b.d4))
      difference.reduce()
      return difference
    }

    /// a − b − 2c
    @inline(__always)
    func minus(_ b: Element, _ c: Element) -> Element {
      var result = Element(
        _mm512_sub_epi64(_mm512_sub_epi64(d0, b.d0), _mm512_slli_epi64(c.d0, 1)),
        _mm512_sub_epi64(_mm512_sub_epi64(d1, b.d1), _mm512_slli_epi64(c.d1, 1)),
        _mm512_sub_epi64(_mm512_sub_epi64(d2, b.d2), _mm512_slli_epi64(c.d2, 1)),
        _mm512_sub_epi64(_mm512_sub_epi64(d3, b.d3), _mm512_slli_epi64(c.d3, 1)),
        _mm512_sub_epi64(_mm512_sub_epi64(d4, b.d4), _mm512_slli_epi64(c.d4, 1)))
      result.reduce()
      return result
    }

    /// ±a − b, with the lower sign where the mask is −1.
    @inline(__always)
    func withSign(_ mask: Vector, minus b: Element) -> Element {
      let minus = { (a: Vector, b: Vector) in _mm512_sub_epi64(_mm512_sub_epi64(_mm512_xor_si512(a, mask), mask), b) }
      var result = Element(
        minus(d0, b.d0), minus(d1, b.d1), minus(d2, b.d2), minus(d3, b.d3), minus(d4, b.d4))
      result.reduce()
      return result
    }

    /// Four limbs of 64 bits of the integer below p, for one below 2p.
    @inline(__always)
    var limbs: (Vector, Vector, Vector, Vector) {
      // a − p, digit by digit, with borrows.
      var c0 = _mm512_sub_epi64(d0, Vector(repeating: 0xf_ffff_ffff_ffff))
      var c1 = _mm512_sub_epi64(d1, Vector(repeating: 0xfff_ffff_ffff))
      var c2 = d2
      var c3 = _mm512_sub_epi64(d3, Vector(repeating: 1 &<< 36))
      var c4 = _mm512_sub_epi64(d4, Vector(repeating: 0xffff_ffff_0000))
      c1 = _mm512_add_epi64(c1, _mm512_srai_epi64(c0, 52))
      c2 = _mm512_add_epi64(c2, _mm512_srai_epi64(c1, 52))
      c3 = _mm512_add_epi64(c3, _mm512_srai_epi64(c2, 52))
      c4 = _mm512_add_epi64(c4, _mm512_srai_epi64(c3, 52))
      // −1 where a was below p.
      let mask = _mm512_srai_epi64(c4, 63)
      func chosen(_ a: Vector, _ b: Vector) -> Vector {
        _mm512_or_si512(_mm512_and_si512(mask, a), _mm512_andnot_si512(mask, b))
      }
      (c0, c1, c2) = (chosen(d0, low(c0)), chosen(d1, low(c1)), chosen(d2, low(c2)))
      (c3, c4) = (chosen(d3, low(c3)), chosen(d4, c4))
      return (
        _mm512_or_si512(c0, _mm512_slli_epi64(c1, 52)),
        _mm512_or_si512(_mm512_srli_epi64(c1, 12), _mm512_slli_epi64(c2, 40)),
        _mm512_or_si512(_mm512_srli_epi64(c2, 24), _mm512_slli_epi64(c3, 28)),
        _mm512_or_si512(_mm512_srli_epi64(c3, 36), _mm512_slli_epi64(c4, 16))
      )
    }

    @inline(__always)
    func permuted(_ lanes: Vector) -> Element {
      Element(
        _mm512_permutexvar_epi64(lanes, d0), _mm512_permutexvar_epi64(lanes, d1), _mm512_permutexvar_epi64(lanes, d2),
        _mm512_permutexvar_epi64(lanes, d3), _mm512_permutexvar_epi64(lanes, d4))
    }

    @inline(__always)
    func storeLowest(to digits: UnsafeMutablePointer<UInt64>) {
      digits[0] = UInt64(bitPattern: d0[0])
      digits[1] = UInt64(bitPattern: d1[0])
      digits[2] = UInt64(bitPattern: d2[0])
      digits[3] = UInt64(bitPattern: d3[0])
      digits[4] = UInt64(bitPattern: d4[0])
    }

    @inline(__always)
    fileprivate static func product(_ a: Element, _ b: Element) -> Element {
      var l0 = Vector(repeating: 0), l1 = Vector(repeating: 0), l2 = Vector(repeating: 0), l3 = Vector(repeating: 0),
        l4 = Vector(repeating: 0)
      var l5 = Vector(repeating: 0), l6 = Vector(repeating: 0), l7 = Vector(repeating: 0), l8 = Vector(repeating: 0)
      var h1 = Vector(repeating: 0), h2 = Vector(repeating: 0), h3 = Vector(repeating: 0), h4 = Vector(repeating: 0),
        h5 = Vector(repeating: 0)
      var h6 = Vector(repeating: 0), h7 = Vector(repeating: 0), h8 = Vector(repeating: 0), h9 = Vector(repeating: 0)
      row(a.d0, b, &l0, &l1, &l2, &l3, &l4, &h1, &h2, &h3, &h4, &h5)
      row(a.d1, b, &l1, &l2, &l3, &l4, &l5, &h2, &h3, &h4, &h5, &h6)
      row(a.d2, b, &l2, &l3, &l4, &l5, &l6, &h3, &h4, &h5, &h6, &h7)
      row(a.d3, b, &l3, &l4, &l5, &l6, &l7, &h4, &h5, &h6, &h7, &h8)
      row(a.d4, b, &l4, &l5, &l6, &l7, &l8, &h5, &h6, &h7, &h8, &h9)
      return Element(
        columns: l0, _mm512_add_epi64(l1, h1), _mm512_add_epi64(l2, h2), _mm512_add_epi64(l3, h3),
        _mm512_add_epi64(l4, h4), _mm512_add_epi64(l5, h5), _mm512_add_epi64(l6, h6), _mm512_add_epi64(l7, h7),
        _mm512_add_epi64(l8, h8), h9)
    }

    @inline(__always)
    private static func row(
      _ a: Vector, _ b: Element, _ l0: inout Vector, _ l1: inout Vector, _ l2: inout Vector, _ l3: inout Vector,
      _ l4: inout Vector, _ h1: inout Vector, _ h2: inout Vector, _ h3: inout Vector, _ h4: inout Vector,
      _ h5: inout Vector
    ) {
      l0 = _mm512_madd52lo_epu64(l0, a, b.d0)
      l1 = _mm512_madd52lo_epu64(l1, a, b.d1)
      l2 = _mm512_madd52lo_epu64(l2, a, b.d2)
      l3 = _mm512_madd52lo_epu64(l3, a, b.d3)
      l4 = _mm512_madd52lo_epu64(l4, a, b.d4)
      h1 = _mm512_madd52hi_epu64(h1, a, b.d0)
      h2 = _mm512_madd52hi_epu64(h2, a, b.d1)
      h3 = _mm512_madd52hi_epu64(h3, a, b.d2)
      h4 = _mm512_madd52hi_epu64(h4, a, b.d3)
      h5 = _mm512_madd52hi_epu64(h5, a, b.d4)
    }

    fileprivate var square: Element {
      @inline(__always) get {
        // dᵢdⱼ for i < j, twice.
        let zero = Vector(repeating: 0)
        let c1 = _mm512_madd52lo_epu64(zero, d0, d1)
        let c2 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(zero, d0, d2), d0, d1)
        let l3 = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(zero, d0, d3), d1, d2)
        let h3 = _mm512_madd52hi_epu64(zero, d0, d2)
        let l4 = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(zero, d0, d4), d1, d3)
        let h4 = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, d0, d3), d1, d2)
        let l5 = _mm512_madd52lo_epu64(_mm512_madd52lo_epu64(zero, d1, d4), d2, d3)
        let h5 = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, d0, d4), d1, d3)
        let l6 = _mm512_madd52lo_epu64(zero, d2, d4)
        let h6 = _mm512_madd52hi_epu64(_mm512_madd52hi_epu64(zero, d1, d4), d2, d3)
        let c7 = _mm512_madd52hi_epu64(_mm512_madd52lo_epu64(zero, d3, d4), d2, d4)
        let c8 = _mm512_madd52hi_epu64(zero, d3, d4)
        return Element(
          columns: _mm512_madd52lo_epu64(zero, d0, d0),
          _mm512_madd52hi_epu64(_mm512_slli_epi64(c1, 1), d0, d0),
          _mm512_madd52lo_epu64(_mm512_slli_epi64(c2, 1), d1, d1),
          _mm512_madd52hi_epu64(_mm512_slli_epi64(_mm512_add_epi64(l3, h3), 1), d1, d1),
          _mm512_madd52lo_epu64(_mm512_slli_epi64(_mm512_add_epi64(l4, h4), 1), d2, d2),
          _mm512_madd52hi_epu64(_mm512_slli_epi64(_mm512_add_epi64(l5, h5), 1), d2, d2),
          _mm512_madd52lo_epu64(_mm512_slli_epi64(_mm512_add_epi64(l6, h6), 1), d3, d3),
          _mm512_madd52hi_epu64(_mm512_slli_epi64(c7, 1), d3, d3),
          _mm512_madd52lo_epu64(_mm512_slli_epi64(c8, 1), d4, d4),
          _mm512_madd52hi_epu64(zero, d4, d4))
      }
    }
  }

  /// The lowest 52 bits of each lane.
  @inline(__always)
  private func low(_ x: Vector) -> Vector { _mm512_and_si512(x, Vector(repeating: 0xf_ffff_ffff_ffff)) }
#endif
