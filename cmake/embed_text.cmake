# Run by tune_embed_text: writes the bytes of SOURCE to OUTPUT as a C array named SYMBOL. Numbers
# rather than a string literal: no escaping to get wrong, and no limit on the length of a literal.
file(READ ${SOURCE} bytes HEX)
string(REGEX REPLACE "(................................)" "\\1\n" bytes "${bytes}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
file(WRITE ${OUTPUT} "extern const char ${SYMBOL}[];\nconst char ${SYMBOL}[] = {\n${bytes}0x00};\n")
