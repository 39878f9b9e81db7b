"""Tables and prose in Markdown, and their place in a page."""

import textwrap


def markdown(titles, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in
                     [titles, ["---"] * len(titles), *rows])


def time_text(seconds):
    for unit, scale in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= scale:
            return "%.3g %s" % (seconds / scale, unit)
    return "%.3g ns" % (seconds * 1e9)


def prose(text, indent=""):
    """`text` in lines of 100 columns; all but the first begin with `indent`."""
    return textwrap.fill(text, 100, subsequent_indent=indent, break_long_words=False,
                         break_on_hyphens=False)


def marks(command):
    """The lines between which the results of `command` stand."""
    return tuple("<!-- results of %s: %s -->" % (command, word) for word in ("begin", "end"))


def publish(path, command, text):
    """Puts `text`, which ends with a newline, between the marks of the page."""
    begin, end = marks(command)
    before, _, rest = path.read_text().partition(begin)
    _, _, after = rest.partition(end)
    if not rest:
        raise SystemExit("%s has lost its marks for where results go" % path)
    path.write_text("%s%s\n%s%s%s" % (before, begin, text, end, after))
