# cmake -DSOURCES=<a;b;...> -DOUTPUT=<file.c> -DSYMBOL=<name> -P digest_sources.cmake
#
# Writes a C file that defines SYMBOL, the SHA-256 of the sources' contents as text: what is made by
# one version of them can be told from what is made by another.
set(digests "")
foreach(source IN LISTS SOURCES)
  file(SHA256 ${source} digest)
  string(APPEND digests "${digest}\n")
endforeach()
string(SHA256 digest "${digests}")
file(WRITE ${OUTPUT} "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = \"${digest}\";\n")
