# The format of our lit tests. In a module of its own, since lit hands it to worker processes by name.

import os
import shutil

import lit.formats
import lit.TestRunner


class OwnCache(lit.formats.ShTest):
    """RUN lines, with an empty cache folder, so that no test sees what another one measured."""

    def execute(self, test, litConfig):
        _, base = lit.TestRunner.getTempPaths(test)
        cache = base + ".tmp.cache"  # %t.cache
        shutil.rmtree(cache, ignore_errors=True)
        os.makedirs(cache)
        test.config.environment["XDG_CACHE_HOME"] = cache
        return super().execute(test, litConfig)
