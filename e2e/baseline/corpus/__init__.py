"""The exchanges. A scenario is a function that is given a world of its own; each call of `world.cli` and the like in it is
one exchange. Its name is FACE/SCENARIO/WHAT WAS ASKED."""

SCENARIOS = []


def scenario(name, also=None):
    """Makes a function a scenario of this name; `also` is another name that some of its exchanges begin with."""

    def add(function):
        function.also = also
        SCENARIOS.append((name, function))
        return function

    return add


def load_all():
    from corpus import command_line, hooks, outside, over_http, over_mcp, panel, setting_up  # noqa: F401

    return SCENARIOS
