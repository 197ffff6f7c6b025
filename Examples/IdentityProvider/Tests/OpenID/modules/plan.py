"""The plan: modules by their public names, in their order."""

MODULES = {}


def module(name):
    """Adds a function of one `Session` to the plan."""

    def add(function):
        MODULES[name] = function
        return function

    return add
