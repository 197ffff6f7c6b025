import PureCrypto

/// Private keys, made for this probe and used for nothing else.
enum RSATestKeys {
  /// Of 2048 bits.
  static let all = texts.map(key)
  /// Of 3072 and 4096 bits.
  static let longer = longerTexts.map(key)

  private static func key(_ text: String) -> AnyRSAPrivateKey {
    // Names and values, with colons and commas between.
    let parts = text.split(separator: "\"")
    func number(_ name: String) -> [UInt8] {
      guard let place = parts.firstIndex(where: { $0 == name }) else { return [] }
      let characters = Array(parts[place + 2].utf8)
      var octets = [UInt8](repeating: 0, count: characters.count * 3 / 4)
      let isLegal = octets.withUnsafeMutableBytes { octets in
        characters.withUnsafeBytes { Base64Alphabet.url.decode($0, into: octets, backend: .portable) }
      }
      return isLegal ? octets : []
    }
    func secret(_ name: String) -> SecretBytes { SecretBytes(copying: number(name)) }
    guard let publicKey = try? AnyRSAPublicKey(modulus: number("n"), exponent: number("e")),
      let key = try? AnyRSAPrivateKey(
        publicKey: publicKey, d: secret("d"), p: secret("p"), q: secret("q"), dp: secret("dp"), dq: secret("dq"),
        qi: secret("qi"))
    else { fatalError("no key") }
    return key
  }

  private static let texts = [
    """
    {"kty":"RSA","n":"r6cVlWobYHBTYsQTr-yLRNYCbEJ6bLztUypcxtr92O7-BGQHxfddVIS31bqONamiqfNqoAn3KBrCTXwjqzae2DKyZAMP\
    S9yp6aPJsKkPP9rYS9dLe1igu58xoDNco7rKC-ZHKQsnE2I9b0v_LMXV6doE5o7xHeXorU3lEMbcmxfGDbDqnAqbPORV3JJkaWnomkHkL2xUXZ\
    9_zPH2dqr-oiqNkFXlDH-urRuIRuC0J0c0W3J_BuJPTE9yhArWHYNR0iMn37OiIIZLcZylvaS4399fmDmdP5S2Ghndo75YMwJ5_UQcn4KXwg7t\
    q91_m8M1GjnpCLK_IgHLeXAwdpCu7w","e":"AQAB","d":"Drm6Vf3WELYp-hgyXFJqHy8Kd0qgGniWNB1-N0-JmMOkY6LX11FUWi8MKFdM77\
    5qZsauKX-HCwN_RuFW2NYp5-RhedVF1YLIyHpU1hdo3LNl5FRxaARMk_NrGiE5gs0N04SOclLp3OFPVtgaADC6V7H8LNtOkcaXRIbIuCjWZWFW\
    Tf8kWGawvjX-Iloy6GpHGpZaHwxltjDxGy6UJY9b6gZKpb5T8Yvdqe7g0vHM4Uxf0_-M3osYISMTKZNO-m8P2i_QTRZtDJE5QccbOeBcl_Zvsu\
    pHyHFvSiotFXS3HOMF0Ml8QUrIlXzAXIO7GChD0piTmDTgxyreA9eDtRB-wQ","p":"6D3IVkslqdwTGzP1zuvHPQEk9kb3S8qjJCumm1pUIVT\
    kFNnKyI7rUtKItPhAY9xkap4XUNY40fEZgdci55iZvLP4BjuVF6fGClnyGds9kmUF8xCQOJ48syXtS6FK81rqwKRly1vZbxk9MR6LNN8_rsnez\
    GKQjKYdULVRgEf5AsE","q":"wZ9KDDPdMZMy3EHC4W1lb50NZU_hok9Qqk64OZw79QYpc1BukC8Hig_eTBDl02nmAUVrOxO0fljpB3QLyq8oF\
    X2cP7EN6G45LxVduhGHkPMYAEgLjS5AiEvCLsOchLnMuFqt6z9XWBCb-RzsLJg_B_h5k3narL8tLq61Sc80Da8","dp":"QU9OjWXom5H2FYpR\
    L_WCPBecS129oaTEqCFWYw3N5um2kl6E9k2qw8nNBAdkJDEQVCNNL0BvDisdHzRe7n4tjbGWqDoNPW_C85pDyR2sfQTH3Yjk5ecp7r9VshUTvM\
    fuiGoy7jNQPDv-x1dtklrNz9uZOiTlvYfhapby6n5S-oE","dq":"PQvy9cv4ZqQJeiaFwjuSqtEyowm_k0Q8o6W0Mf3PbZ6mvQPUCEO7tczxA\
    rylKbYO3cG8YGEDHH794eq1uQ7mrXfwJqi1QN5Xyz-KUJssSghLPfN5KOc3U4HHVKU6GSLXqBx3D1_mMw7xjmaPFDRgUywFcPkPeD3CiiBtajs\
    ZJ2M","qi":"umCI-bUQ5CUVmfU2seK4gI1eRt0hBKreu3t2I2d236cDLzCaBoK3thh486dKAreQ4KSzE306m_o33q7OUSxMD7wsQ12ExztYTt\
    hUeT12Ohxhl17UbqHj1VrcOzIIWJbs2kqt6A831Idai_yK0y4me7mVCJwTFfOkecKRRaeuOl8"}
    """,
    """
    {"kty":"RSA","n":"pqxaPkOyEl44Fi6vah3z5rUkPNvLZwHXFmzPhVieATLSYrD9QAKPt-guVsvFilMi2voQvhobo3yX9LQJxJqrd9QT1OPr\
    d2bERZB1jtRplZ7rKHROJcidL_I9foAm0wxHGSkm0RcDH9GNtDJAXeh3ftuqkWkcxHJ2EqvV-DlmBl6D51ozwSKg39qQ570oJfVDbK3OucN-Iz\
    S0RrY4514RGcN5iXKXy0SR1-uMAWUTar-KEXK_o85i5Vkz3oTaJnYRByomRNf5HYE9FpZw9vfEOYUYjTmS6LzRqUAv9sLDn4XxXmhm3b7aprmM\
    _8HNeHqV9znvyJytOwZzsdwhzzGTFQ","e":"AQAB","d":"E0cD-QejZPR40Df-Gev09c4lrtRNJlDUK8fSCL5DKChUpQ2LfQfOz5qPIYLYCj\
    OraGBb52DlqXcTrD3Wk2LASk_BK3JhHaJJOTKIJkjzHVcQI9Gv6DbX11_RNPxlgSt-Xa6gyrY6qkd2eE0HnNTyXT3S8JaTuTTz6xzs1pTs8_dy\
    tg6vnybhfQtaYN1GYPAx0iJmM_ukspKyvm1j2fpbeHCH22LC_aO14bwnBWROH2r627ETalom7BeOXD4yQzjVxxAHKU2Q0a_9zug1Lapye8OsFR\
    tFKiC2IcCjD7wBLdzpi9T8RujafejfsPDSdAxzk8ZJYNWraywUuRbpKnKFUQ","p":"2p0Iri6uHCNN2YObj8kZhG_RAakWZaRoYZypzRPmxAA\
    lIMy9_b3PG67GjTPF4VYBiSZzy6ToDUADAvVgWq1OLKTf3gfw_QZTUZj_TNUdy6hTMskNARbB81dsx0DTTV5ChSbG5HKE4bvNspsMY3fIZJh8P\
    rnyQTJ6fNyFuOi6JiM","q":"wy1ciunpFOHxHAcQdsj6_omfDWx6Af7AQVWcfN54EBQ2_bANrrVJkp3LrHrVP7wVmgW_Facr_8lSmIiIYbR96\
    YVaawv5a7O5WisdsLM5NL5gx51KFACGATmvlQIotdIDAO3I8-ZkeqXpGOE_F_jlz447BLWJc29ecQ1pyXIHCWc","dp":"YTg-uP-HbHoCz_2o\
    O6xqDayQXVWt4SvZQ7ehB9OW54lM-aYzw9kadqwmHntsv8Y4zp5sFp9SlznlXPZ0kD7MKix0ZlBPyqZ6fSo2Nxv7sSs9PLOOdfKB9E7n0ECy95\
    A4svBIuSV4lM6pLomnW8DUPHBXqKmW44moUUjcqxvMVNM","dq":"P1nB5_T0iqqrsAU6-tNRZL0WuyyyjWM60_oNyRoMrmthTgaO6l49ezFso\
    pdcEEvkVxH2a_jO9z9JZ-kpG02ScPGv338LfkHfr7y-7lO-BbilgSU0njltRYiLzTneLOX1w59q0n-9rXGcr06tRAKt1Si9T1H9Q1KqvNc1twU\
    j85E","qi":"CUBgwiBwyTexjKth_ADBcEJpJICTpw7sNdzh6E8PPK7hW9BVXMMEL1pfCapHkPC_vfxtlax-bEyEs83CBv7B1RYQPW6dCg9OqP\
    ODThz0sPjDHQONxCBYH6U9Ptq-Qmsjo767eh7RNZ1PO-o-X730o-nciI85uqf5cx70ZnvpKvs"}
    """,
    """
    {"kty":"RSA","n":"tc93066Jou-_YVeUb5mG0e88n9Rc42gigqYZcpMpqhF2eXESNhzmf1le0tMFYh5uWSb8thzfza25-zPk5pFl5J5nEXLk\
    lnUd4OWxXs5eKhJIP-fjj4oyzNMncobk9e9K2ophomOhqBUCpTEovtXNHhPPl5nWirgvIh3fW8mG5Lzi143mvo7QVduO85Ms6cKEJUVXonSMui\
    NK0iuGQk5ryY7IxJScwYi3jkM8p7Uq7Ub_gZkOOqoTn6Ipn8tef7qjakLuVcMf8oEqNrQgRwqfW5JGvqG_ewGZvK9E7TfL7Xv09ptKGQGyPEaQ\
    GxOqGQIjwsCVD_HSdZY40xUH94kCsw","e":"AQAB","d":"MESHRHym78oEnhw5PTOeNmf0SV6A1qLT3qmoQeHOAuel83HQautbSl34rbH2UO\
    lRVHvkRZj-1cUUhhtt3sSlL3_aTyiYhVVMfGOeplPVbgfyhHzUzkvbVsOMSnyDlsNTtRdd-lXHGi-Rxzd44Mk0LpMF3vKpoaRqZv1VSjIDjQAh\
    7xP1ADQ1m4yMs5QEqTgWLuaW7SB1s9lUQCWuTBnt9YLZzHx_H8PRRpfAKO_z_irZx9x6wKMJNwSDbGAOANKgVX8tiqPk6uu7DwnKZ3bJWVkzt2\
    ClOjzDSssHTF-ZbRjwMfJ4S0IXGxrwMLv1f_0u3VahbbOn_XaAps9qtRLdyQ","p":"4itGynSkQN0wx4rJm4YgTRuJUkBs03zLmBY9clYLGwI\
    xRnmPA0duR_gs02_KBpGLErZtfjbITELbPGbDHW3K1o0cruGSNyYAZ_1yWw85cmO0FoIVY_O5X5uZSkDhYTsjjPuyLAplPvPPn-HD1iODGacTW\
    S1TzBgZKBQQL4vX7Gc","q":"zcpl3EwiiIe3eRZpIde904fn7bpR9KXs80o134RDwY0aR0l4_QoPl2jfYt3mVO0Aro9P1kU2hBOrczhc9ER34\
    gyqnB9CJTcT8-ZZPyFYxyYeeIAqiInqfo2yNKc0PYQYcTyRL6EE-DdwwR24ymGZ1bwxjkafpduPqV1VxtSxh9U","dp":"UoKhR9j312YalqGO\
    XXu4KwlBts0kJp-fkvOCJUU4tfi9y00rnHGhzQXALL7awDy2tPPyzBnmRtQZMVb4FbNpTY6biT1n31Cw0z9GSewq9A1ltNRuQ1G2LigQ62LyFk\
    vB83wbiy-bsjS2aUiu7l90Q5aNW3pK2OltvA5dvUrSUj8","dq":"eLBBqsAP5KhLZr1I7Osczci_sUD7PZJt84TLMYndPs7k4Xfqd-QFntOHZ\
    vEiWx4fr0AnH0-6GB19CHa-tRbOhAjPqf3_CdpSXlDyeD6zVSA68Iqh5y-TEaNCJvUEgytMNmTB9P_m7Td-bhNjQ3WYBax4F6u9h0TL7RTq8E_\
    eyf0","qi":"jRHfPTWTkFWNty708jAgwUOMblIJHC_clKmp4wWA1uK3wHaPcewosBw3_bQmqMHADCtoNc2XzT2_papxf7PoE1G3aa5lsMAkoa\
    G024nvViqp_hivOzO-Ph5GqedqHJLPRgm4YTNDW0KyqEChH1xiDpwwm2wGRxaJHlFz02MEH3k"}
    """,
  ]

  private static let longerTexts = [
    """
    {"kty":"RSA","n":"q5Gjlh89W6qOAXGhLKoXOoX1riyqD_OUfcguBmDs_UZkWAlHzlM3ol7jL0efkauWH4hu0S6Gagm8BEpq_yx_WdupD-DBpuhF\
    7gCA9LNZWB5L-gZ7mDOHaZUrBuu467cNXN_SnDKlPvzOQIzJb5f88eWtyL2SsuQQ_RbRpf9CGcPgt76Z00_-3dM9dHNRId0dY2pW6olX41YDWmV61d\
    X0BMYFk0VmAAovI-SVQnOHD4yzxQ0TMAP439Au-Y4aGgr4HldI8XwGcBI700-_qwKpphho7RiZ5Eipefiy__m61YqB48BRrkEJ1uCSXKQ7wjKiKyzn\
    9YfQgZ-8xcwkhZ_sksr7wiQ6EJJihlrFmwfanZJicmJVuBeCSNl-YF-TVs-lX13UKt8_ngrcY25WQsMUC_iG_cOcxgnoCMckBR-SRYI-7-RwYoAJlT\
    axXHXIB5r2gcImk4CxBwboUl3PceXg9Dybt0ZysArL0uU1OkLX0CDL0nWbJREcgVoMf7Rhvlzv","e":"AQAB","d":"Nui1CLI10nUK3rZtpVxIc9\
    _0qYo84T8NKpZa-Iqjvkl9itlphESI3SvuHK8ZCCd4s93XzZXMyfoUlPD2PnWQyoLtIBpID_FtlAbQPsB5mySTH1Fc0_DF6Uomy5-8fqAGpE8z2e6x\
    iS-imPEV9OOZPhfKXyEg5qTsNPvNHAnOL23LqTLUi1ciU_8rv226rRJVugAKEiTjnmvkRdWNkwtW_gIcPa5rvx6DSML67BoKQzU-QZX2KptS1tqLdi\
    3-94_DoszDcKAnNubP0IVEl7Rt_kn_6uyjGxBEuwYWc4rs0GwziCoPgAaKtYY--IrqvUmlXB-2FLu4YFLDykkhTAVwRgAIKnvGjQCGjdC9nu8NtIVA\
    2I1pyvJxU3QMwzFkyDB-v-OWCrHVJfkDRY-hiKIDE1w8pbn7i-J_y-7BSUMQeMvrVRZLkBjuGl0mjMoLFKGrXGrUOrGaZPhWmhzj6MbUiZsWhhuyUt\
    _6pIPSyR05pETMbWT1JwvAggQw1_QnFl4J","p":"7W-WWH8qaiHhs70i8St09BwtssVAi-jdY-WVDUMH3Bix8C2TUvACgkxGejTKjcsvv15LioMxy\
    JRxbAuub32F3YllXmzejSGo4DZ34m9Gy75kgHYjxNenRHA9PZLLtzrxTubGOZozoC_vAVBhbviawbnI8bvFVchRm6m6DUnj4d6RTUJZGrgof5oBPLd\
    aFPp0w9hZSKgd8LjUqzMJ1ZswRHuPwDuvF6xw68x-NXKcEvsAmQQ83g9LMgYVpMMnunG5","q":"uPuv3v8FkcGfFdaFZuY3R7UuipZCETgHXSFJoq\
    ePaPbVES6grCCVPAXUhPAhpFirr2F-P0n0-7UtsOxKG-LkuO0f8WoSt7iFrLeEwKx9GTxWMRHWkJKllv3_bP53xOnauEvGe63nivoaTECeRS10ya7R\
    QjI3C1Fd6RI-UM6ZaoZEnV8CQIGqcy5N6KE0muqqkUhE5dyFmwEVun6HzpSsw2jAhYxkJ63yE92xSgeOjUd40vZkqrN9TbuWxfxgKzfn","dp":"WY\
    eiIWySCcMM4EGJU3cXepTFhotqc1czY9_F_GIyLIQDVJVa4AMwbwFj8eDGIAFl17susOQXeZK_0gX1mIS0XXzZhGl44a63hxQC0Jc1Es6QBwCFLExE\
    _kF0VitsNYM8SowqYr4KiXSJou00UCvd7v6nDr_HATmvzAqL5UbfbuQF1iQWhUS7wKHJpaNdjFuEe_Swdf0ujP6k8okkRC9oW-pbohjfRQX47nEFhh\
    HZWC7dYtV-Ph12NT6mGqKb8GnB","dq":"G1qEYCo_zZTfDGCja1rhk8Xz8uRTMq6hUCEq_VVfvHq7eQX3FlzfFHgcO-gyYVYHVTDKdVtfUZUyA3Z9\
    YvBDOCFAVveDew1bHvYoOEGJYiDs8eacXtaAi_pVOe3LEiAuipAR8pn9oixnlRz9Cme1XFlwciRwxUir5VogQty6DOl73fV9pMJHzS5ssNidqcbHoC\
    Iapg7c5tXbO6-YL3EGtwKXbWgcK03qfQuMOtExQCzwbemnayKNheAWZIJ0Sg_D","qi":"xb0wBB_AtxUMxPiYI0lmRo6atQA9o83K4wq_Rwjmrtxu\
    Cx8OIO7Ms27CSyiEWkwIOTLaGFCCQY_ssNRaRfhXrBnrCJHjYHdoW63Eh3tQfetj8wdPOHgknjRbNaUm5eo7QfuXsWLbkthy-3SpCgPtioW2wPDFSa\
    -cBqDdfOzH3_ZuZKGOvno_sw--TsnWCX5Ye7h_rJzqUoPxzT5VmA8KYMcJ2F6spY1G-Tbobxmuf9XmioolInI3DTsKnNmbviSG"}
    """,
    """
    {"kty":"RSA","n":"6jFLDnCDIC8kH3CnP4ULlqkFebCxrhYvT7NFdZh93uZrfWz_2e0Q1ibEYFaQCFz5TxFGtg3O0ZE-vwQ6MnBaLYYrfPbvdc_U\
    wZ9du-z21oaeSSA6xWQwWMlX_ewCkhVt0XdKUQRb2oQO6RUbSLsrkYApG7HZS31fJcBjLIJoe5peOV7OfGRKo8_vj6cOXl7QG3xpnVssTuH03vppo7\
    NXPZK1STncLK7HkUKBfDMe9YayXCkqYaDrzLu7soCEHP8is3YnCr-I8FsTGrXyf9YKHMb45EOMpnTKoMJSh-NDtQ2om5juO1W3_CdZBIrM-tVqOmjk\
    wS4XDR5zUg8chd2_GlhqYarHYQnEnbWsmvafFo0T8YnKoCeCczGJl47SD8KvIlLiJdlTzBDUwA1_DAFD_oQQCMzmX8XjuUQPuq3PdwC7dtJ7w4Er5j\
    a0a0tphv6GN1C1wFTEtBtzgWGsyvznwGXSp_WHD5YQMRuo3c1-QCyO4ryc1edsxrhT4Kf4sZ_2XdoV1wAG8PQlSq8Hu6PkXIZtBpeSHdqPyrm-l-lI\
    S-PqWojyeyFZGzlthRqKBh8wgdMMJpsuo_FPPb4v3sYjqmSSftQr9bv0O7j2ri28th57YvY7cz1CZ4qoviEolDl0t_5uXepMNFvyux_BOFDmZkVFfF\
    RB6bwmx9VL4NrlSGc","e":"AQAB","d":"QhMfTJck_98dD3vOzEai4uKUR2W5c9cRiSiY19lq5glX2X733soannk4nb--ioWE17CVpUbXC9yxed5\
    c9x8o6kA5I9xd6nz1V525qgxtBlDb9uDPhCLE20APgfZlMUc3gUppXtteeRQaStvoI0ifvcENmCFBICHixvl1Ybj3dqwymngrxP_c6UQBIKQvEyQoD\
    iE3gSyYnzb0SjcXuBag7h_m4x6ehsLXTp4Xf23C9d4Hk6YPrZTkApMTHYVSAQZhCYYz9L3eioX_qWEdZsECgGUJEwoV9F7uTpYVB_7wevQ8Fo565KX\
    GL7AAVx48QCcXfhxbMj_pRAvL2KKn1wMd5-wybRXIuap5MAal83f9ad_j-GanVwEA_wX5DWgylSfLDnkVy9HfiwV-RU4oDaFOKkMiczwfEc410Nz9t\
    IdS2pEbB7dGfjSN1WCXA11RWZH1eDIgBNYoOiyysHsWY_IOzH9iTXW_buYFGxiCs-a0vZsx5e2yBL9Nn5oxCS_DflLCcwOclzjFOqKWRcbjURXk4md\
    qy6cRTxb540JfhJoVHbmNXxpEArPOwKT8GHfUr7RTARXePymgzMnXKzN-h5uirUdVfUzUZ4o1q8A5ykWhf0HGAt4nkc4fo_3HWp68qA-CeZD1YXNSJ\
    wx6ZwLP3RrydkpyNb5I9nsq_QteKtl_go0","p":"_yOcVJicI5MHS4C3lfi-yJt7w4UKyVnm3Y9W33GpjV7thUNhgLm1fcQ2Vmv6MTypVLGwhXcFL\
    OagrL8SpnxzB9uVIFsm0m4W5ttf8-PsikJ-CofWasVWJey0BW1FMY_JniOjcvuB6JPggWM2T6GTTw3k4l5FwMEDkn15lU9A-44W10nyNvvC52_wzZe\
    RhRmSIlCPCE3vqCTBkurW2S2LZlFzGvgPzOIwiuJKHHNjISRASltgeim7RmPl_lEFqflYm-RdBfOWsW52VsxS3LXkQSAZ-d4QhJKEtBziM66QbFWx_\
    yN8954dPzKd4VrJi8HXJD8WcpB6JZF21lRPhG7Z8w","q":"6vuWwJ5MPNuxigy8Rfcb9cK9t9I-9rHx7fsT_z3EpXfh16IeZ7cvTtbukdVi6U4wtN\
    S1BLgIsabZEriXEXJSCZdJwdMdfs2CzIJeX1PVEcOdQfCYUQDIEyEC_CNnMNZovDkKQUD7hi4DXfINgmh6KntSBYZAxgVqo73WIgb7cPSrFNP7QCxW\
    _6WgB97T2z45wzdfrAzuFX8PKCG1XpThgGZI5Wj6gMhm3iHu77OOCbPSmJ1SRO75AnmwY7cgId9WH8gvtx34gsGN1sYiFuppWG1ynYHKnkA5mTqseQ\
    swWFasEXxJIN9Nz9eqJdH164_FZUKCltSj0QQrgX6KAvAgvQ","dp":"KIXWaZVHj1rl2Lcb8YTtgF05ngc-fFZ8FYqTqK-b12lRXk4iaViVm-ETJE\
    zIExPobRw_xiLuPoBu2qEKbEjt2DynBdmUY-26U3ZaWhlEU31WGYQTqSeolCNxQD9nswR8aFKOvk92BaOfD83bLXCjPfYd-Voxx_igAZ9ONUm-L3YU\
    6KLFBrib7zhXTcAaC8LQ9ARJg28ldlZILHaCI0JZlqmvF4R4tfji7twcG0K0ZuokD-tNenmwVfC98dOai7GfwjrWD4Dt2UaLIyQWsRlupG1d0tLTWs\
    sOqrC_uKesJpjByZ0wVv_U81mtu8I4qqrh6c7fWNjbnaXp8wa3Dniwww","dq":"RH9SUpPSZWslNbjAqSR_YgSCiTMgZ4k3nMez7JN030cy7kiz1E\
    fx4mmE4b3yN1AzooLewaFj52VbobltUAijIWiYd4ey8WO23Sajm-Y0FhmPnckknXg82lalKBqp2fKmVTfLZXor19FR6fDFP151Piz0m-emuhKaI2ET\
    Kpgec67esBObCfni4mLFY4Xw-9gHvoBFw0GBpYKESI6K8Cc2FNe8KCOR4jiIw_fgTr9oiCuDGDnD4ZRHwhD2-hpHo5gW4uzX--kgp_0D-7eF-GgcjU\
    paPs-24KqYH7Ka1C4OybF6Nx6jspFlfVDAqIWryh7-y6W3q4AQwL0WcYkRcgnNgQ","qi":"s9Eyu5faqB7sitCoARFgQrCA5SJrObdOJmlNYFzT9K\
    QHjolKIxHdnbx1tMFE9Sfa4ftO6HRGvSfKWWKO9fWfpQe9Ddw4tANhaHlkIx_QhVrhEh-t8qhm9Ay7xMEFSopeW6xoKho-UV16Qkv-jP-MfBUMJOqQ\
    JiY3eSChfEtLZ7yT4oJ6bpvTqzk8OK751yxJ5ubkcexGbq78vpcXKIM91i0MxzCSvApA36tGOlbQu-JErFdJGSSgIo_-BKbCOQthH2TJO2IlPfEclP\
    HezJlvAhskmmyFcLkfOba3AT33ZRldDURxiq4ZrQr8qHm6UteiPtg3hksI4lzhmchNNH90IQ"}
    """,
  ]
}
