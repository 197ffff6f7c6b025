"""What is proved, one line for each function. This is the file to read.

    prove(function, arguments -> results, requires, ensures)

Arguments in the order of the machine's parameters: `a:4` an integer in four words of 64 bits, lowest first; `*a:6` a place with six words; `*low:4+high:4`
a place with two integers; `w:1x128` one word of 128 bits. A name with a prime is the value of a place after the call; without one, before it. Places
may be the same place, unless Swift itself keeps them apart, or it is written `^t:8`: then the caller must. Statements are separated by `;`. `x = y mod m` is a congruence, `<` and `<=` are between
integers. All integers are not negative; a − b stands for an integer that may be.

`words` is proved with polynomials and certificates (exact arithmetic only), `bits` by z3 as bit-vectors.
"""
from words import Statement

p384 = 2**384 - 2**128 - 2**96 + 2**32 - 1
p521 = 2**521 - 1
p256 = 2**256 - 2**224 + 2**192 + 2**96 - 1
n256 = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551
p25519 = 2**255 - 19
order = 2**252 + 27742317777372353535851937790883648493
W = 2**64  # what a word can't reach
ones = W - 1  # yes, as a mask
CONSTANTS = dict(p384=p384, p521=p521, p256=p256, n256=n256, p25519=p25519, W=W, ones=ones, order=order)
SPECS = []


def prove(function, arguments, requires, ensures, method="words", note=""):
    SPECS.append((function, method, Statement(function, arguments, requires, ensures, CONSTANTS, note=note)))


def bits(function, arguments, requires, ensures, note=""):
    prove(function, arguments, requires, ensures, "bits", note)


# The field of P-384, in Montgomery's form with R = 2^384. A factor of a product may be any integer of six words.
prove("specialized static P384Field.add(_:_:_:)", "*r:6 *a:6 *b:6", "a < p384; b < p384", "r' = a + b mod p384; r' < p384")
prove("specialized static P384Field.subtract(_:_:_:)", "*r:6 *a:6 *b:6", "a < p384; b < p384", "r' = a - b mod p384; r' < p384")
prove("specialized static P384Field.multiply(_:_:_:)", "*r:6 *a:6 *b:6", "b < p384", "2**384 * r' = a * b mod p384; r' < p384")
prove("specialized static P384Field.square(_:_:)", "*r:6 *a:6", "a < p384", "2**384 * r' = a * a mod p384; r' < p384")

# The field of P-521: R = 1.
prove("specialized static P521Field.add(_:_:_:)", "*r:9 *a:9 *b:9", "a < p521; b < p521", "r' = a + b mod p521; r' < p521")
prove("specialized static P521Field.subtract(_:_:_:)", "*r:9 *a:9 *b:9", "a < p521; b < p521", "r' = a - b mod p521; r' < p521")
prove("specialized static P521Field.multiply(_:_:_:)", "*r:9 *a:9 *b:9", "a < p521; b < p521", "r' = a * b mod p521; r' < p521")
prove("specialized static P521Field.square(_:_:)", "*r:9 *a:9", "a < p521", "r' = a * a mod p521; r' < p521")

# Words and their carries, which all other arithmetic is inlined from.
prove("add(_:_:_:)", "a:1 b:1 *carry:1 -> r:1", "carry <= 1", "r + W * carry' = a + b + carry; carry' <= 1")
prove("subtract(_:_:_:)", "a:1 b:1 *borrow:1 -> r:1", "borrow <= 1", "r + b + borrow = a + W * borrow'; borrow' <= 1")
prove("$s18PureCryptoIntegers8multiplyys6UInt64V3low_AD4hightAD_ADtF", "a:1 b:1 -> low:1 high:1", "", "low + W * high = a * b")
prove("multiplyAdd(_:_:_:_:)", "a:1 b:1 c:1 *carry:1 -> r:1", "", "r + W * carry' = a * b + c + carry")
bits("lowBits62(_:)", "sum:1x128 -> r:1", "", "r = sum & (2**62 - 1)")
bits("carryBit(_:)", "overflow:1x1 -> r:1", "", "r = overflow")

# Integers of 256 bits.
prove("static UInt256.product(_:_:)", "*low:4+high:4 a:4 b:4", "", "low' + 2**256 * high' = a * b")
prove("static UInt256.square(_:)", "*low:4+high:4 a:4", "", "low' + 2**256 * high' = a * a")
prove("static UInt256.row(_:_:)", "*r:5 a:4 w:1", "", "r' = a * w")
prove("static UInt256.addRow(_:_:_:_:_:_:)", "*r:5 a:4 w:1 t:4", "", "r' = a * w + t")
prove("static UInt256.minus(_:_:_:)", "a:4 b:4 *borrow:1 -> r:4", "borrow <= 1", "r + b + borrow = a + 2**256 * borrow'; borrow' <= 1")
bits("static UInt256.select(_:_:_:)", "mask:1 a:4 b:4 -> r:4", "mask = ite(mask == 0, 0, ones)", "r = ite(mask == 0, b, a)")
bits("UInt256.init(_:_:_:_:)", "a:4 -> r:4", "", "r = a")
bits("static UInt256.__derived_struct_equals(_:_:)", "a:4 b:4 -> r:1x1", "", "r = ite(a == b, 1, 0)")

# Integers of six words.
prove("SixWords.plus(_:_:)", "*r:6 *b:6 *carry:1 *a:6", "carry <= 1", "r' + 2**384 * carry' = a + b + carry; carry' <= 1")
prove("SixWords.minus(_:_:)", "*r:6 *b:6 *borrow:1 *a:6", "borrow <= 1", "r' + b + borrow = a + 2**384 * borrow'; borrow' <= 1")
bits("SixWords.store(to:)", "*r:6 *a:6", "", "r' = a")
bits("SixWords.init(_:)", "*r:6 *a:6", "", "r' = a")

# Columns of products: three words, low of 128 bits and high.
prove("ProductColumn.add(_:_:)", "a:1 b:1 *low:1x128+high:1", "high < ones",
      "low' + 2**128 * high' = low + 2**128 * high + a * b")
prove("ProductColumn.add(_:_:_:_:)", "a:1 b:1 c:1 d:1 *low:1x128+high:1", "high < ones - 1",
      "low' + 2**128 * high' = low + 2**128 * high + a * b + c * d")
prove("ProductColumn.add(_:_:_:_:_:_:)", "a:1 b:1 c:1 d:1 e:1 f:1 *low:1x128+high:1", "high < ones - 2",
      "low' + 2**128 * high' = low + 2**128 * high + a * b + c * d + e * f")
prove("ProductColumn.next()", "*low:1x128+high:1 -> r:1", "", "r + W * low' + 2**192 * high' = low + 2**128 * high")
prove("DoublingOfProducts.next(_:_:square:)", "low:1 high:1 limb:1 *shifted:1+carry:1 -> r:2", "shifted <= 1; carry <= 1",
      "r + 2**128 * shifted' + 2**128 * carry' = 2 * low + 2 * W * high + shifted + carry + limb * limb; shifted' <= 1; carry' <= 1")

# Signed integers on limbs of 62 bits, for division steps.
bits("Limbs62.init(_:)", "*r:5 a:4", "", "r' = (a & (2**62 - 1)) | ((a >> 62 & (2**62 - 1)) << 64) | ((a >> 124 & (2**62 - 1)) << 128)"
     " | ((a >> 186 & (2**62 - 1)) << 192) | (a >> 248 << 256)")
bits("Limbs62.unsigned.getter", "*a:5 -> r:4", "a = a & (2**62 - 1) * (1 + W + W**2 + W**3) + 255 * W**4",
     "r = (a & (2**62 - 1)) + ((a >> 64 & (2**62 - 1)) << 62) + ((a >> 128 & (2**62 - 1)) << 124) + ((a >> 192 & (2**62 - 1)) << 186)"
     " + (a >> 256 << 248)")
bits("Limbs62.isZeroVariableTime.getter", "*a:5 -> r:1x1", "", "r = ite(a == 0, 1, 0)")

# Masks: yes is a word of ones, no is 0.
bits("Mask.init(bit:)", "bit:1 -> r:1", "", "r = ite(bit & 1 == 1, ones, 0)")
bits("Mask.init(isZero:)", "a:1 -> r:1", "", "r = ite(a == 0, ones, 0)")
bits("Mask.init(_:equals:)", "a:1 b:1 -> r:1", "", "r = ite(a == b, ones, 0)")
bits("Mask.init(_:isLessThan:)", "a:1 b:1 -> r:1", "", "r = ite(a < b, ones, 0)")
bits("Mask.select(_:_:)", "a:1 b:1 mask:1 -> r:1", "mask = ite(mask == 0, 0, ones)", "r = ite(mask == 0, b, a)")
bits("Mask.keep(_:)", "a:1 mask:1 -> r:1", "mask = ite(mask == 0, 0, ones)", "r = ite(mask == 0, 0, a)")
bits("Mask.bit.getter", "mask:1 -> r:1", "mask = ite(mask == 0, 0, ones)", "r = ite(mask == 0, 0, 1)")
bits("Mask.word.getter", "mask:1 -> r:1", "", "r = mask")
bits("Mask.isYesVariableTime.getter", "mask:1 -> r:1x1", "", "r = ite(mask == 0, 0, 1)")
bits("static Mask.& infix(_:_:)", "a:1 b:1 -> r:1", "", "r = a & b")
bits("static Mask.| infix(_:_:)", "a:1 b:1 -> r:1", "", "r = a | b")
bits("static Mask.^ infix(_:_:)", "a:1 b:1 -> r:1", "", "r = a ^ b")
bits("static Mask.~ prefix(_:)", "a:1 -> r:1", "", "r = ones - a")
bits("static Mask.yes.getter", "-> r:1", "", "r = ones")
bits("static Mask.no.getter", "-> r:1", "", "r = 0")

# Runs of limbs. Their lengths are numbers, and each that a curve has is proved for itself.
for n in (4, 6, 9):
    bits("specialized static LimbRun.isLess(_:than:count:)", f"*a:{n} *b:{n} ={n} -> r:1", "", "r = ite(a < b, ones, 0)", note=f"{n} limbs")
    bits("specialized static LimbRun.equality(_:_:count:)", f"*a:{n} *b:{n} ={n} -> r:1", "", "r = ite(a == b, ones, 0)", note=f"{n} limbs")
    bits("specialized static LimbRun.equality(_:word:count:)", f"*a:{n} w:1 ={n} -> r:1", "", "r = ite(a == w, ones, 0)", note=f"{n} limbs")
    if n < 9:
        prove("specialized static LimbRun.product(_:_:aCount:_:bCount:)", f"^t:{2 * n} *a:{n} ={n} *b:{n} ={n}", "", "t' = a * b", note=f"{n} limbs")
        prove("specialized static LimbRun.square(_:_:count:)", f"^t:{2 * n} *a:{n} ={n}", "", "t' = a * a", note=f"{n} limbs")

# The order of Ed25519's base point, and octets.
bits("specialized static EdwardsScalar.isCanonical(_:)", "a:4 -> r:1", "", "r = ite(a < order, ones, 0)")

# Integers mod n of P-256.
prove("specialized static Scalar.+ infix(_:_:)", "a:4 b:4 -> r:4", "a < n256; b < n256", "r = a + b mod n256; r < n256")
