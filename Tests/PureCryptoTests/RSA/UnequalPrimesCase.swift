import Testing

/// A key whose primes are not equally long, with a signature and a ciphertext that another implementation made.
///
/// The primes were drawn for this file; Python's `cryptography` 48.0.0 (OpenSSL) wrote the key, signed and encrypted.
struct UnequalPrimesCase: Sendable, CustomTestStringConvertible {
  /// The lengths of p, q and n in bits.
  let p, q, n: Int
  /// PKCS #1.
  let pem: String
  /// RSASSA-PKCS1-v1_5 with SHA-256 over "message", in hexadecimal.
  let signature: String
  /// RSAES-OAEP with SHA-256 of "message", in hexadecimal.
  let ciphertext: String

  var testDescription: String { "\(p) and \(q) bits, modulus of \(n)" }

  static let all = [
    UnequalPrimesCase(
      p: 1025, q: 1023, n: 2048,
      pem: """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEAlvV15Vws/ZNgK66r7IqQ82/6kV6s+baqMpa03L73GeYvH1GR
        9O9xtntXmwIS0HtZn8kkk1doGGN5P1CwIRmjLxBWVPaDpNRqLOGNx2+3S5V6LQ71
        Ks9aO4JVZT5mI5dYwfp/z5M3ByEVHSN62SN/Ob8awVMhTyYQlDtayzT7M+bex64J
        GfCq8/8LdRfUCPMVUO7xLYms0vzANPvlg7lPWdwmGmUiKsLTI3hnTmhvcLR0+AaT
        azjX92WVNrGr6UtSVGTs4zlVeKDuDi5gGuBHHXMssspwCpbQU6QuPPo21cXBIsY+
        F7u1N94GpUUrkdco0ALe0oML0Y6i6bkdLidN2QIDAQABAoIBACDahPEI0YXSaDC5
        kBMnyQoiCb9PgofKOFpQMEaGjRKm5QSE5SYQYogbaeKDXgLfhY7f4MTsVexQ4ddk
        wSBDCx+4B4HwMJBT5lOkNw37g0HA41khEzxg6jtfTyR8oxAF5Tw6P0y2tlgn3Ad+
        bEMLlanErJb8d5hZKWyJSmZFPpJ5uIf201A0zOlyX/pIoSVxIgjRZk0+duBGGbcv
        ylYxk9uHtAr+tYX6LYYF6/2VMf9gCAM6jy+AqPB53AFljHX5oVGGGImDVb+0jUDu
        d1ASiyOUv1GiwigpUSJw2u/bVx+XeO4n7QA4aG1pXC/9wVocSOnSS8GSZyT+7Z5c
        76QQKi0CgYEBfFw8jXHhtPD5A5OGeLmCV1Fb3zjQ51ShWx/R9H6nDXqw6phHpRhM
        TfTQP8uF6cGR532rbwx+uEUFM3t6AOv201wwOLA3IEr5C+CzrUBCfZjRSShAIEBB
        tvAagNMSxrqIhxK+FDMfzlq9AS14WTfalZEo5puP/gTEYAwf+hWPCu8CgYBlmizF
        Y3UDpfSKkhAVZkQT4gqWWctPZZs87TghH0cYzbZ8IN/cp1n5G7aRF+0Z9vbprMf5
        fWdkHTpN5MIkuaBlI4tN9BVWDzEVNvF1sZIUuGFLORajF0mI9hZ6FgaLB8pK/qkI
        mIkm47O0OgEZgH4lLuQ1NMZZZF07EhsMbVVTtwKBgQD9D5UN+m3T59uVQIrgOXR5
        ydyZKID82Da+nO4ggD9+3Vlly8knE4J4/1+qgitnee0sGlV7/dE1ol4ygX2LrXK7
        7wL6RGt45cjK2UZSB4X1cD4WMVxw2K+gGiFYApbkd2isjZC/ecA4l/BWHz2KBno8
        tqaCv49OzzckPAzuY3eXKwKBgEKUT3ZiAFINtDwCDywWwdHNtGZmHUbALIQ2Zyu9
        VVe5pjWdTVVJDTqioHZgGW2EWrUyFjE1rkT6qjRVDawHQEZGjojcxAaLGfzu7jfT
        zwho8sjadi0Vm4h2yq/iMxN0XWnbi2Uon+euGxqlUAcoHoG7QqxjEv+NN1L4QGVa
        WCntAoGBAPVYDXgTZN250+WhvK7dVggWznyiJfLUgXqssR7HYJnKxyTWu6eAlRCR
        lX3kf+ZHznJYsf/dMUZGbjMRqYOEwdq3/AkOThN1mjiaKjvSjwfbj25kw2SxfFXn
        mJoJGYio5CHiWo9MzgOa6UuNTqR1QF/t0yAJdAAETiGJA13gkUSP
        -----END RSA PRIVATE KEY-----
        """,
      signature: """
        428d1855c2250d5c5acf2146076083c748f026daa81ae1e44d286b7c37c7ebdb65dcb447b0e933e650b058cb521a23d02a86749f6ecf98fddbb659c9\
        e9cdc25ecb013ad65f68568cbf912cb5db2bba43b39304fbae6c174831382b3776178d1b3061ae1e606127c899360c8fd2fc95c9042f5f896016cce3\
        80c07fcd0624dd177b9a6698b762c8ce6898d90fdef2df631412b8c3af478114bcafd78a072257e478d13f8814f18e182f2ff7eb8d19f16cae7d752d\
        b7d4da592a6cdc73928fb6bd31debdc58c9350cdb5437ecafd972e2473385b5d7c486bd9aa66f65f7d9c11faaf3811b39104a2dec05eb402db7c40fe\
        6c525e37614b09a185feaf97e82ad7f5
        """,
      ciphertext: """
        0e589cd66fb1e8ab383e922325bbd5b5086039a2b593b31183e0d2d6090d1c3b9fd2f3f6b83282430876e85b50d37307800e9515378f7ccb9480525b\
        0f3d65459a81579ce5f7f8e1ebbf6b796717508e133bec061a5f505c5eb206a2648bd91fea2e921d88ecbff7e98300311acbde576c5e123977e2a0c2\
        4664723d528d94b6aefe91b1717f3d2a956356f6940c180ab0c5725738555cfa51e673f57c6ae30cbe68b219e4748d1103af9ed00f0987dd256c988f\
        f5a73d947196c306fd58c65bd7d617e5af909dbb49ad25bb97f8cca224ffc39aadd60480e9639dfd2f6a70766423964d0c0ec5ebe1c0d74bd4c397f8\
        a5388ef2f81c6b47be083769dbac4fe5
        """),
    UnequalPrimesCase(
      p: 1023, q: 1025, n: 2048,
      pem: """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEogIBAAKCAQEAt2AXsv0lkLP+MicG2SfrLV+jQagdhsL5FsY807zFJX48n5f+
        oOk/7W9BnPTpU6RI+kZix4LSDHwC/qJ1bKF23XaGLK49llJTw+D5Gcsm7lT5ZM8a
        Nv8HDhZsdwv9lTrJBZUDLTDy3QTYdzwEDvpwGp6Ll164CpxEb5fxyZTjH/5h4EJr
        06CSnDZa1EKNJ7JYtnjifSfZPJk5JQNpvTBZJ1Gs9KFesZbR6NtBnmGpEKtEDYHy
        5IHmy029uoHFJURub5CFRtUpY26P12xsSCPZ27OoVkC3F2DCc3f/Q5K/CmE9fONc
        aGDWyMSdTsn8AA59IxseOIXGfe/CmBAdhVGCawIDAQABAoIBAFLQTcOiuX1RHEJQ
        B7K4aWgzYco7/yGmGdHkMwI4pRwal4xHm1HWJO24qfwVSu5gKikE8oVBmlTTCJMw
        kTE+9ixr44p4Ig4qHfQ/PKAec/V8YKjbMu6VW/1LuS5GNv5W7wPbWPTmvzd7gbrP
        WtHc3hXXdhklSJ5aFjoDd8leuPfwCzxA1yZxf8axeO2Do2sJHTumfnaT0ZOmkH0p
        cB1OggZ0Zglki4Rst8wTBh6iB+Rwu819b5eIl9DiXpiYHL4p1QaD0or7PIJ3WyyL
        7/7S+RZbpYJcXZTZys//0cQZeSXuR83KiQiIBx8Yj/ZylZnTQj3lZ17szAt8z7H6
        0UoTfUkCgYB9SCGT3cnRI/2mpB7B0W0wSp3rxi74RWf2apilGLVkT3w/lcLoXM5M
        /mMMtf2U+iytO+9jK7JaFrCeXuQGveZPnsjBWmRfywXl9JRQPNtfxKSpVE0+b10B
        tabGAI672i48ZwUuwK6Fwke4qkpIlEQ/L9FGBLGlddTW2jTdjKmi/QKBgQF2tUbL
        UiZP6r9qMztAnC39/SBgDEwcoD8FVhMV48N0ML0OqPtTk+Eo529kIOWgY0Mji2Ng
        psZelQYqtNR1LuPStsoyAf9CGmUjQdCj6+lb3aL9mzjDXnkhPvvb9cX51atqpMOF
        ozCKwoXLAVr7s5u0+9iM/fMESW14aSFBvtF7hwKBgELnIDdMu5faNnylLF+orTya
        vFbKkQ64Udp/9mBEH6of4GQ8X8eit/DZ8J87GN5T80PXu/EjxqzhbRRF7FPFWZav
        XtoSoYOecdnpkMKAnU45Pw3GHTH4WpytGxCl/5NF4mcTROtArnJz28U7+0tjEkcE
        DCfuHcgUcsMB6DVgBr8pAoGBAWG1LOaw3UmDJr1xLvWGeEPRtcX01cQP4G2BGvMG
        1XHQsCYujVAPv/OExDmYdCo6iR38bgrGY2rU8cVOfV9Aq/40XhlmmTYlBGOLtQ+H
        mfkF9t2+sI57l4wykDzKe9+iOvWoIoj7ys6xYOqIlQIUQV9OfNRaxBO/3H5Vfvc4
        0TXxAoGAQixqtrz6y6RXXnjJ5xNmh3hkXw0T6G3EQDqJkprYwiUJXr1X5z14RCaS
        mL6xi5JMtwKnbFabl2WgbkWnsIleMSDxlwz4U1lw5BjYXNCPvpRqsDAhqLFgczPd
        TcRUwQGzKYjofMtCQnTf8YViveSqTOKEc6kdh1y/5XW4L14kQb0=
        -----END RSA PRIVATE KEY-----
        """,
      signature: """
        18719306743ec25db429bf3ebbbf41237ca8f442d18842454f448c2312af277797b6e5574fef56b72785105b75fe1a1de8774cc611da06a69452747c\
        3f8004df2f16cedda682ce97fbf6c71f2bd1525a67285307b3ed6a2722ba8d29a82bb4ab5a482086768ddfc63491bc6457357c189ba84dac2695075a\
        ec89529da1290857614dbd58af868365b9a646108ab5cc9fbe441e1ab9c1bb21d1f882f23817e8c619cbcf208c8ec4aafb325db5dc3508d5ab2325f6\
        0f8bc72619209e2c4834be0a96212fc30c7acca1b52651d4009502d8efca00df065da599d3ac1b3f35911bfe21b78590acf0db3d3a8c1cd03323f7db\
        31f4ca097416e48b700c0406516b5631
        """,
      ciphertext: """
        4d012d3088cea2c2ff9708dd05f195dc74129a440f57ab62e5c2454086de7d391782ee55f2e7f6387e8fbd3d70f95b486204e79763c10653d6388127\
        a25b07ff4ff2e66910b92f66e048f39c1df8591ca26cd91f9780eac2013893ce7ce1afa24578a3c46be579cc077f6199ce3db357307ecdcb9f808f25\
        edb214f4538d4d29ce3288762a9f575774c07e5ce5ffc3afdde66da8528b90632d5ca0139c494fd32a678b1ba0e9a97ae62976b56e5fe4a437489df4\
        52eee2954dcabe7acc95eb52eb155cb563f6cfdfdac89943610f187dcd34946d691849c6d1d50bb6b1da65b81731c2982a75f4cfb79a2548e64242ea\
        87f449395273b4fe9cea7f652fabd065
        """),
    UnequalPrimesCase(
      p: 1025, q: 1024, n: 2049,
      pem: """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEowIBAAKCAQEBVTIfbMF49T1GPRQJ9eESJKS02IJG1/QO9s3wNqmmD5gwGhAi
        RhlRziTDxyqXS5dyi47WFT7RU11Fa7Q3z054vNqLsduhcVb3nqauaVj9qG6Yyima
        TXizFR1ujnnb025LzDqshgwzemUy8xRzIXL3sNUbr01pXPureTGDsQyVM0H5boWC
        j0vya6BjKZIX/7a3T7oPzQdPT4N/MuyoaiWWEo2U4l5lrEcwzFqN0VH1MeXnh7Bj
        8PrQrtm1tT/Tzr5DF0MmNME68glXRWGYgGSrpI8H2/g6FyYr8eRx5ktBH/7HfL0u
        MCh02ydWTUwfOZxEPNTPqBsVw9NCprCGEA5rzQIDAQABAoIBABtREwEDEGsaB8iW
        FSIRbgFvCmeXLpLVoGkUHdpShNAU0C0WA5h3KHyHpwEIIOrVaj9QJUW4LMwu2IMB
        /8HiN3pvSOXpfqhzXQnfsHEQxeY5TJRK9majdjsHizVu/jGUUA8+11c4HNr8xTJ+
        /aS87qXCuh+z4+6k25qtYyzGpB9hQxinI+tTVZkr2rMF56QRJEWTX4sXqiPx/AYZ
        7HnqmvEKPDuT1sC785E7d5LQOS3wbAbe65NTv0hXeMp9kWmq9BC0xEpcdNjHyial
        hvmxIKzkqHXQvozGh0khHCs25EH8bq2fg12QSzdBbFTX1uEf8e+0hXMX8MqKYwAB
        75TEfGECgYEBry1NhuICbxsnRg4gPprjC8s3hk7k9xUmbddZeMtniO2wcpkik8qS
        kQoRXvUcYouPR1ghB+pHjrzqtzIRSbZNzvC/3cLSHiTcqKzekyKLTMT6nRPwkvUh
        vxmgoVbaI7h3jSEPSVH42RcZYiJPAlJWuizIPyxVPUkZ6l6OneA8qsUCgYEAypN3
        esBmf29uulBaJ1x+kGd/T6dy7xrjVruMCNcKtP+H7wRjRlCegfB89V9Evy/Y8eT2
        hzFsoQgxlfUvnhZ4ReoSCsS+Hg71/fSYBN41wrI83vm8mKpuANdFEZTOR8KJSyOc
        SA3Fy08ffU2ShVC3BXgYaapllsjs46eqfVoE7WkCgYEBUh10bhFNV1MzuPvazT0o
        TldNc0Tqx9cOC5ST1OWsivPZKgRr2PlBdfsvJAeR+rT15jx1qn9NHeGHLaFVbThI
        S77+tifQHVNKtfrZjwfHtKvC2uqH/LW9gN3X2K0C4oAFP+Zs1lIxkgtLHGlLC8cF
        u3jijqd1MFniuKbtr1/oMwECgYAJlQglykwO4xp9vadGDV3/PqYLAoSxQrhWNfDd
        yi47eYrYh4Capt2Yj+OZR7RcxsqgRpBSvMfCpjySN1LVS4LM69GGqN/FVDfWl2dJ
        c6lfWEcA1RdSsV0atRQTTNKlGlKcN0cBMYWVpFx89Npla/f8Tj35YZIEm+R4sEmk
        PEnXYQKBgH69qDb5axroZQWOMt9sn1wa2N/dai19Uyga3qmBCyS+Qg0DuHG7gmmG
        Sp7kufkRapoz2IB8W/FOh8u1EADtAOnIAAm19gszNnkZsjsGHMbw3CUbJB/RjP6r
        lor3j2kh4UUD2vxXCKHOxyqpqjyTVRlAgBjuDQbHdd/Jy7KR76Lc
        -----END RSA PRIVATE KEY-----
        """,
      signature: """
        005ac33d79ebb99ceebffe5f9888fe26f25728b77dc82db56973ae0ce14426e975fafae3237699c73646fd61fe20421b13ca8821671c542e414d4738\
        8117fa5cfc74961e23730722c2b50bb389f2c73cfbe023ac5303f56c474225d1567326c8302421682294297ae1976dcac73d476b72441974f03bb2ad\
        5716bd444b0631776d547d235e6c721e1607cba57409eeee83b21d3aa6b026d248b8c5a306e98d468da57ff2e7247e82e4136aba3d654cd9feb431bf\
        e20f37c61321859cb9428db163cc4779c7bd174c69a027e83d29d57126dedf5e453fbbe467de071d8a2f2fa217ad39fa44ae4bf2f52cba876a250031\
        f7734e7bcd1709e594b8711976268e145e
        """,
      ciphertext: """
        006f5e27d1432e0607da233e2e46c900e5ff3e3e4d27e9337b96c884fcd9034b4ea7c37afb5648dd1900bcfad54c96095aaeb5bf6c637a53985329d2\
        57ce891ee5a2b8f77be1f79d6ef2d09391ac6c50bd697560729b486963190cc80078467eee4c9bf9d5585b91cbabb78ebdbc1ae581aa1fe5117783dd\
        f026e50337a0656a5728940d0b7616a91742f468f8aa93e0c6a6d2c9d0bdc76fa56e6ec1bb7a882e9b504af80d9795f3994d4c3ffcad3dc897e9a4cf\
        695e9872559e57e8270bbc01d78409fe10c4f618dbd2f9868657cd6883ca55260f296c24c039391d3e50cca70ad0b13a616027821a0318982a34f459\
        55d3e94c308888e2241ea86f2f6b86b51b
        """),
    UnequalPrimesCase(
      p: 1024, q: 1025, n: 2049,
      pem: """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpgIBAAKCAQEBRTQ+vHqfzlMDT7ItoxlxrKUrp9esrbeJxw95xfV64F85t5Bs
        Trnyncf4LRTl4E1CLmeGLJJD8OCCTA0WjHuZ+Rr4vfurJPxppCsOaoDbVAHeDB00
        6eDdhidJdIUPTJ7TiGkBzcyam6wB6ElWWg3trh7loXMCmRVKK2X1YTowMWFncUMP
        HnSsXeoGcDd29c3vZ1tUxwvGX7vb+tB4Biir5ufwixDTm3jssUNjcsu7OfV1jGTu
        hfXwIIGgNuLcSY+cgJ3EEU8YIjh3rbnVspQzzJbgnpKTW9Q/5Jzx6JIn2ezWBvY4
        LVucVHHB7UzTb4/8tIxMP6q47EUPeTwIkySPYwIDAQABAoIBAQCl1HVlUTZqVMRs
        gFRrRg9EVVmEliM01lHIkyiqfHozLfvVkizYnFOOh6kS/AQYs+zakunFkrRYgXOP
        6mCkNGcYsttCrbHhA2GvWFFal+i/1s/u53nTBVqRDTmU1EEv9hGyDrHfysTQOw8h
        7zu8YjvgPVslT+t0Onn+1VgiQzTOCEQAC3X/6UkZWqb4qvU8J1MQrXPCrTmmzkZU
        1iLOn1a6QYXnN1vZr8hPMFmNG79M9FcmYO4LXNeOA/1vSWWEOMdDLe+nCC3w5+yZ
        czuNqeOIntUEtLSAKGZ4BemChC36SNdYjEfXImDhQmuPdAEMDVUyfgbKN2m/p4sl
        I4XA1oZ5AoGBANPvmSGOxaNHfzMcSJzT2u1fx3ZEOJHEXg3TFpmZOaSkd4lh9cwR
        r/SNfzQpO+Jl6RVw2Qfmh9wkMYIrozuQy7rPNN38gXfXV8lcTQDIkFBA7RjZrZN4
        0372yu+AMzygEAKsnB7nBMgxFZiWfhlT7Y+kJErzUM24BJHh/DsI43lPAoGBAYjR
        Z3ORY8nFKo+GI6XP04+H6CjwCchfxQ6+/5Kg6lxMvYKtrEawgr9K8ZzD2U5mrVkz
        PT3VTFXECzWa3Yn9JYIzKpFtaU6QX4BOrxvTkSyVLqLL3CCY6cSUaAB9RT7P0oCY
        eOfRDOoIuQlXypggWa6Jwl0slwxfbFb6RNwJy9utAoGBAMuuEPT3SWnKZKyyGfbe
        hCBtVDyNA/DTT7DplWa4o3VfuqIFyzv8I6Zb9kwi9LJ4TrGUan/1RcyD3DDFz3KH
        jcRTLvPIoISUKIIUesyt9EOsojCnwvFfxaLXe+EAzD0Pd1Oan8/zJd1fjum+eCHP
        TxglH9wISzfqCjpJfScfO75xAoGBAQJrEC2dFhKk3Ozyh/0LDdi8xeQ4lZb2OgML
        b8KcjdEOwxV2/4C5mioSOYSx6wGC1sN5y+4jpkY95EntiZS/rq9KzdRCMCb5H3qf
        SN97fWPg+H8ssbHYJuGl6A16W9WIjqj+pXuLsX09I82brbIKhjUmd3EoZm5DUFif
        6DEBWNU5AoGBAMEHw5vc7ZDLO6sQy6XU/ikCo2IhITd/zZRbimGgTUHpma+nmjRC
        /t/Qgg4DxUj3HlfTJTSKaZnicYi8bkOJml6APcP/uDZq8NNYWzKR8sjeu1R4M5pX
        zcYqAC0lGjjYLbliJyHdSuKU3K4n5GhoLhJYGt3H0YKpEriG3rAjkmYD
        -----END RSA PRIVATE KEY-----
        """,
      signature: """
        00652f5a28cad3cc471d4fbc04c7008878cb272ba76b609514e17035cbeb1ca7d303a095199455fbd1b8fb0909fcc2b6e95e9ef5e6bb1dfc38f732c7\
        4e1e09601cc9ae2a66c2210fa08a94c646638a01cf5f460601b150aac3d21b9944446ffc65b41a3b0edabcb67144eca3a0526fe9246c8fbf9d20275c\
        6406bd7e04d60d38ffdbf5722f3463083bc2e935bf86838e1ac53424841cc4b98372973f326d900976ee7f7a0e8c5d30455a7786a12e6dc899702ce7\
        e4b87b215c60edc64e8e756be61f7168dd98912a4dc696acf0ec0702fe34b1869b9d1e887577234065dde27b145b90bef1228320dc400bcb01f5b72b\
        ba59a5ebd13444c10dea434a33a89ad3a8
        """,
      ciphertext: """
        0098ca5c5bba8c6412d8cebb90043cf221eb0f3b9b806d825626dbafa321fa34546ac811ddec1d463ee5a92cb4ce8bc7fe7e4d207da87fd9b7529f4c\
        e517989b413aea4964783021d433a6e19feb8c55bbacf92fbc41a8223339ee457cf8434ad49b2ae342ba41a44d624b2cc25f04d72422554ed9427593\
        d79688bdb80cf3c04894f955e0b184c300d740ec9a42343e22d03df60e706c4e6e55ca88c3caa621679cd38aec529c589c27a7c105e00e3d5356d947\
        88e49bb5c1fc6785b02e238cdd3c6079e65c7cd57d39ae546a933e4dc8956d440dcbcad63674419afcc785208d727c7d3446315bfd3dfc495d0cb9d2\
        946ef0f2df4099ae39e07418216f6f3a0c
        """),
    UnequalPrimesCase(
      p: 1088, q: 960, n: 2048,
      pem: """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEqgIBAAKCAQEA2g+Jf9Z95n0OoPn2zTMcjyiGfN7jVMTUGXxJZlD5XURhjIaq
        NIbCWTx5uCZFM/v1NQCJN0Lq3lZUkCMp0OHDxSmGcXGAx1iFpGnRTxzzOgWREr1D
        DhiYtVpSwHn/OoxY4A8IvJyPzvWJjBfY1bIxcLk+4HlEqICHFUIPgMOlOkuCIww9
        cltkAi6LsQfSUSEqXqA5yhZBWLLP+Kdk1klIM3kqwYmhJeCasvOwzlDb9bcwojGO
        c7j8BhezatisglroK16b1VZJxWFgm9f6O0AHmPnIargh6DFEpAmEqpD6shvzASZL
        Db0L7Ml/Ku8VFdJDufUQoUCtmKq1v6De/m9yjQIDAQABAoIBAEha83L5xxjd0ibU
        CnKYTReriMSSaLhN/1rdhLVwlO2/rOamIIABXyehC3pxKHFRX1HQ9bbie3B/ENwq
        7ssivoUDfFrUILkExIODoTIxFvvfsP2Y01EwFCvI5sB7OpdAzpS6KFn9UTKJArT7
        jLWLxR/0N8rgMkn/K4aQJ/V/a5CKTCuARtElMVFdfMxKT9nawkPqbm5lyjiu8NUg
        M03ddgVPNwP21Vd9pzC7uOz5JrD14YuFxNaEtHW830uX73GHHxhVeH9unELY7HqL
        NuBSfvGGu1COPxsVz0nSmE6IPobKwc5qsq+iCVJWGNJ37d+O6Jt0Pbsq3enNU3DZ
        nmJQl4ECgYkA594tquqTW5y0hk5xjsBqNsu27WTCLijM0fcLc3JTJictEbPknX3p
        yYV/cfiDYd9fxfF7uW1e9mMFGerGHurViscpX4Cfmv2sjiCV0R/M7j+eqDJXFlas
        5jv8jb+zEVGaVoYwk0fU3WPgTWwnRtssTSyDhinhj5OSx9EjowlmlheIuezDVdby
        kQJ5APDBe9wuM3e9dkkLY3gzb7ldlhA+Y/dT7W8D6yy09wmmr0mfPF84CLdhgOQ+
        i40//7CizsXZm0LzJoYhdXL6LKfB9UBtEVp4k3RZ2GJpOFZfXWInFYNugDPW+q85
        w3u/4Yt5yeovjShkfg5ANNsWdAuLaQyS76RGPQKBiG5HS60YuFFALNQcBwKAHYRG
        S5CI9ZoCqbfLKdUUsNtakqLyzm7hbgn8xmqsacBo/yIkAlZk4F+LJOf4s5YM1teU
        decIQ+Dxedp3QQofd9Zwx8LzflwPiVhPe4TnggFgsGkqlXvXFDTfxdTM9blLkLx7
        yWpMDQ2+gHcszyhB1lrYgpz7MMRo4SECeQCxPzEqC9WWbST9Z+YGY4/4X18QfG5q
        cx6VocPtORm6wD3CrPnsfDtmjuEuqKFjD1/2Mhaa8Lbu1kZhb5ahXG+t3gzqLqId
        AjJE8bRt11tDs5fzoCSli5/VCouqn5M8syqg3bv6rqF0wG9RnJGNTn2G1k8zk6Xc
        Ql0CgYkAuXtX1wKpRec2x5tJDwvTCQHiib5aXBCyEvb6QAUHgoM4JvI8ER+hStX1
        v7uUUpD6hO8sT05UyAO/uJzMFY/6HvxN8N/+ucDfsLRyO4rXRPpyVpP+mpXNvW8g
        2DkXFInvQObjq6v4AgvHXYH6FR6VNSUOcMMH9dl8MSL/rzYhcRIK+kjlSeHLpQ==
        -----END RSA PRIVATE KEY-----
        """,
      signature: """
        d1c02040914d89f0a0621ba1beee877b2c24ec65f31162ed7fe887bae744c423dec6eafc7f52031308c1fa8450da53e9931241bc93cb6f25670e0174\
        1cbe845bc6f9d5e9646bb76099638f0c674fa9eeba7e0ecf15b5ddfd4ad493d6bcab3ab028727252f6105313bd1415d896368cdc3f36bd843fc6f2a8\
        a72aca68f5dfa7ecd7994d294033de13161e9aa008f114698497854647a2933b7da978ac064dc3e2c9f3d141fb3af4b4f3b7a94c7102e087ccc4b283\
        a725375266fe49b5d0f547caec4c0246de7bd3f773893fd7a23ebe83f8d2557b3d36735939eb4d87c4e09ddc3666670ce6ec0c6f3cc08a02124f7125\
        e0da43a5b389a04eac3a7673cce8dd33
        """,
      ciphertext: """
        2327c693eaa92a25ce72f75395cb75f60a17892771544ffc4b73ead00553038d35fb33fd2a668648f18cab3ecbebadc536a5646fa7da7889c058b1b2\
        6090b1afbbebd5474c2c97b797563dc2ee7f7303a380e539b6389a471876bc2bbd865ef131325ee1f11d9f43e5bf387fbf295c64955d486406505187\
        70bffd16a0ddd81125d45a68b60727241b43f92859b9978157c5ee9e20b370221cfbd58a987a5fe1762e89a090a53999c3df3a36e38adf4696ed3c99\
        e82b0dedc9c03ff3556164ce3ffa9a3b13952019666d650305b1888c09db68bf6b72dc648ccc9e71e4d2f768a49295681a7fd6234584fa1a418d755d\
        ac32cb3b3ea4aa201c6019555a5b84f8
        """),
  ]

  /// One octet further from half of the modulus than a prime may be.
  static let tooUnequal = UnequalPrimesCase(
    p: 1096, q: 952, n: 2048,
    pem: """
      -----BEGIN RSA PRIVATE KEY-----
      MIIEqgIBAAKCAQEAyMw9bDQcO8ndClTdgzRzFNZ/u1Q9L+RbbxPn0t2cemOrJc5S
      xVx2QRAnTj7ZCek+TbVgjQeNi9jBhxSJgrIsB81jJasxUL+GveMFT5KoWvS3RhUM
      NzYNjFUoqZUlfRKRNdFSZlQRk1WpnYdX4hBhQFJkvY/V3iFca2Ukr8lhj+vDgY0O
      8CQRwmDCUD7ASlHdEKaXGNx0TrwtwhBsYiHttSNT87Hp0T3C9k/ZaZh488s8fKnZ
      ZhqEUY+EcpnpNO1EMm45w6HNcaaGFm0gbw9t5/6W+/TuJI0pTdb0QRq7lUBk4qSr
      DMMDw/l7JuB5hMFrshTHIZdh6A1gUh4uISi+BwIDAQABAoIBABszf8aesIxw5h62
      LGPPwR87h4Yq/Tb1qmU7vxXTq5Tw14iBkLjns6VQuOJipSgwjp4cSf4Q3d3p+R2B
      bLdlx40vB5VcwYt8xpYGoPuMlH3t1L4Lr+Hy0pcGGkIO0EtHLqCpwI3YKaFZ42ZR
      pVgce/AouTjsuT4kDVYphZbcyNZFRstoqUAAVciovQkCZNYxSLHNGVXH1zDjXdSU
      I9h9iVsD0lAZ9N8jFsTWdD+c3Ka9+wvA2U9fDiGZvMwaFjUnuc8lU9xsh2QjwVMD
      8sNyyUIR8LpI63yJcKUxIrii89uQiywwRCRuvHe3qyzSv8vYUs472g7SfnXS94Xk
      YxOElIECgYoA2Y8Cw6xuU+vnAQVYGQLlVHSeiGscoMO0XcH8S9y1CrY4cPqipSM+
      PCJABisrazPvrqlYt2iZDsnEW1n/bLzHg2Leyv4ruZJSOX/Q9qsmfBCfrOw7nFrA
      aFvOkizWaS3EroQclx1lrEae6Yq53oXmifgc5c85XYHp00Bg5BwOPWCeATdMa3Xy
      +acCeADsRxMTVyYX7iFonyP7XbttMfKGHgj0DViu2GCE7TzWpyCCT9vwjFZMS46n
      eqh8YuaFCW0GE5WXyuslZwSUULsG4BuMv1CseryKBZIKUG8r4FdYiEtV0szi9Nru
      EisODfLCxc5Ovn++jGKe1eJDuD2toJ4syRfkoQKBiWL0cmxwFKqlRSgotx6BO7BD
      bwxbs+THv1VZ85jJ5areoSN6TNpSAm+1oGtt3UzgjadjLZAWym94hJCMiep6n0D6
      ip3IKDk6/Z1brr9Tr6iEoywzMxX2DUgqYfYI4OlsQOaj/qEZZPKMGKHfUJWPUAH3
      UaWRsOUAP0uwH6IBxNRUCupArci/GGpHAndHObW6Ys8M77AKhc6m+76AUEo3u94f
      E9bj/j46U/m/C2p1XfWDMgrhvPUn74XS2U18VTcUWdsCgx0XjVKIEz4N+IjViOac
      1/L1+G/pxA1/QIWUHqH3ITC6Se2lTrzD49iGdnKWsj54BoHEN92ZZHTTXlPQVF5r
      gQKBigCrTGCrlYuL4iLfrN9O0XzkDPM6bTZ1ZsApPSw+lfnbBOMxua7Me6M+cTEH
      lCk18hLnUctD0RenLBOOTRIUT+lF+xgEcRotlq9jUfnWPIl9BUdPGYqcu8PZTwnY
      v3PA3IfKe4za3VcXkh/GU7OcuekW86d6NKsrK4oqTyPaLZA0TR7CkCkIYl0PAQ==
      -----END RSA PRIVATE KEY-----
      """,
    signature: """
      0a90ef57f9a72cfdcaaf4094267d6df6f5a2ec49cf862cff2fb60f461f871bdc1e027a51deecdd0b3f520a9c7375b4249adf79283118ac33e170b71c\
      07f7081d85bb4240fb80f5e8492b93540a0505e400850ad62f5f0dbeb10952e0540939625326fa3355e3f3a442593b40a374bf694c9d023dc870d4a6\
      e11593258745d7acdff87496373aa1ef4e58acd0b3d0e93dafea14512cabcb4b6c8f82d2a5c94fdaa39556e17eb5c5678e837691df408840a4aed276\
      f75436832ed233a458f71aa6a501a24919894770b720f91e49798e9f292dc12c3c743b83b7b86b5cd9e65bc505e61b311a71dd0bce1718d409b02ea9\
      76981e8e1ddb2cff928b435a7933c4a2
      """,
    ciphertext: """
      561dc8b4e53fb502385499651bf5f3cc870df70f8b059290250b2fafea2180a7d51b714669192c00acb6d48f75520283bec248298d147bbf9040ab68\
      224c6fbb861138856084f00c6e86ca8e375457d4870aa0b816b26ee7538db5998f45cc1e5d414f26c7ee50785981171041a0735f8b443f68ffacec1c\
      f74cb88f1dd088517ec57477bf2a6a55d3a8f35d084de7bbf293c442c31f695c652459cf3df40bb7013e6413e5f1714a2b0b993c0188a407d26dfe1d\
      85637f8fb882fc532a26a189d35c06d9ca26c22ad7cf4cd67a4a2b6506327177a0736ee8297d473e9d88c9c43bb27c91e48fee57750a392dab95b71d\
      6eda037798129c5d9150ca015dd29745
      """)
}
