from conditions import must


def same_person_unasked(session, first, changes):
    """A second login by the same browser, without a page: the same person, who logged in at the same time."""
    second = session.log_in(changes=changes)
    must(not second.pages, f"pages were shown: {second.kinds}")
    must(second.claims["sub"] == first.claims["sub"], "another sub")
    if "auth_time" in first.claims and "auth_time" in second.claims:
        must(second.claims["auth_time"] == first.claims["auth_time"], "another auth_time")
    return second
