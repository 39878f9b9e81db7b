# The format of our lit tests. In a module of its own, since lit hands it to worker processes by name.

import os
import re
import shutil

import lit.formats
import lit.TestRunner
from lit.BooleanExpression import BooleanExpression

# make check, make check-all, make nightly: each has what those before it have, and more.
TIERS = ("check", "check-all", "nightly")


def wanted_tiers():
    """Those that TUNE_TIER names; without it all, so that what is asked for by name runs."""
    wanted = os.environ.get("TUNE_TIER", "").split() or list(TIERS)
    for tier in wanted:
        if tier not in TIERS:
            raise ValueError("TUNE_TIER: no tier '%s'; there are %s" % (tier, ", ".join(TIERS)))
    return wanted


def tier_features(tier):
    return set(TIERS[1 : TIERS.index(tier) + 1])


def tier_of(test):
    """The first tier in which all holds that the folder and the test's REQUIRES say of tiers."""
    with open(test.getSourcePath(), errors="replace") as file:
        conditions = re.findall(r"\bREQUIRES:(.*)", file.read())
    conditions.append(getattr(test.config, "tune_tier", "check"))
    conditions = [text.strip() for line in conditions for text in line.split(",")
                  if re.search("check-all|nightly", text)]
    for tier in TIERS:
        features = test.config.available_features - set(TIERS) | tier_features(tier)
        if all(BooleanExpression.evaluate(text, features) for text in conditions):
            return tier
    return TIERS[-1]


class TuneFormat(lit.formats.ShTest):
    """RUN lines of the tiers that are wanted, each with an empty cache folder, so that no test sees
    what another one measured."""

    def getTestsForPath(self, testSuite, path_in_suite, litConfig, localConfig):
        for test in super().getTestsForPath(testSuite, path_in_suite, litConfig, localConfig):
            if tier_of(test) in wanted_tiers():
                yield test

    def execute(self, test, litConfig):
        _, base = lit.TestRunner.getTempPaths(test)
        cache = base + ".tmp.cache"  # %t.cache
        shutil.rmtree(cache, ignore_errors=True)
        os.makedirs(cache)
        test.config.environment["XDG_CACHE_HOME"] = cache
        return super().execute(test, litConfig)
