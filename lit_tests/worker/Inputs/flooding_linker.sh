#!/bin/sh
# A linker that writes three gigabytes to stderr, as far as it may.
head -c 3000000000 /dev/zero | tr '\0' x >&2
exit 1
