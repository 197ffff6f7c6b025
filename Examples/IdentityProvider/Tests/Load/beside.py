"""The same requests of this provider and of another one, by turns: beside.py PROGRAM [--seconds 10] [--connections 64]"""

import os
import shutil
import sys

import load
from glewlwyd import PREFIX, Glewlwyd
from provider import Provider


def main():
    arguments = load.options().parse_args()
    provider = Provider(arguments.program)
    try:
        with provider, Glewlwyd() as other:
            bench = load.Bench(provider, arguments)
            mine, theirs = bench.client("One"), other.client("One")
            token, their_token = bench.log_in(mine)["access_token"], other.log_in(theirs)["access_token"]
            files = [
                bench.refresh_tokens(bench.log_in, bench.client, os.path.join(provider.root, "logins")),
                bench.refresh_tokens(other.log_in, other.client, os.path.join(other.folder, "logins"))]
            load.head(arguments)

            def both(what, script, ours, others):
                bench.measure(what, script, *ours)
                bench.measure(f"{what}, glewlwyd", script, *others, of=other)

            path = "/.well-known/openid-configuration"
            both("discovery", "get.lua", [path], [PREFIX + path])
            both("keys", "get.lua", ["/jwks"], [PREFIX + "/jwks"])
            both("userinfo", "get.lua", ["/userinfo", "Bearer " + token], [PREFIX + "/userinfo", "Bearer " + their_token])
            both(
                "introspection", "post.lua", ["/introspect", mine[1], "token=" + token],
                [PREFIX + "/introspect", theirs[1], "token=" + their_token])
            both("refresh", "refresh.lua", [files[0], "/token"], [files[1], PREFIX + "/token"])
            sys.exit(1 if bench.failed else 0)
    finally:
        shutil.rmtree(provider.root, ignore_errors=True)


if __name__ == "__main__":
    main()
