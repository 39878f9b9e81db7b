"""Which arguments of a module are weights."""

import re


def mark_constants(text, first):
    """The module with tune.constant on the arguments of @main from number `first` on."""
    begin = text.index("func.func @main(")
    end = text.index(") ->", begin)
    mark = lambda match: match.group(0) + (" {tune.constant}" if int(match.group(1)) >= first else "")
    signature = re.sub(r"%arg(\d+): tensor<[^>]*>", mark, text[begin:end])
    return text[:begin] + signature + text[end:]
