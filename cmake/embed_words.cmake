# Run by tune_embed_spirv: writes the bytes of SOURCE, whose size is a multiple of 4, to OUTPUT as an
# array of words named SYMBOL, and their number as SYMBOL_count. spirv-as writes the lowest byte of a
# word first.
file(READ ${SOURCE} bytes HEX)
string(REGEX REPLACE "(..)(..)(..)(..)" "0x\\4\\3\\2\\1,\n" words "${bytes}")
file(WRITE ${OUTPUT} "#include <stddef.h>\n#include <stdint.h>\n"
     "extern const uint32_t ${SYMBOL}[];\nextern const size_t ${SYMBOL}_count;\n"
     "const uint32_t ${SYMBOL}[] = {\n${words}};\n"
     "const size_t ${SYMBOL}_count = sizeof ${SYMBOL} / sizeof *${SYMBOL};\n")
