#include "proxy/tokens/embedded_tables.hpp"

// An array of six million numbers would take the compiler minutes; the assembler copies the file.
asm(R"(
  .pushsection .rodata
  .balign 64
  .global photofinish_token_tables
photofinish_token_tables:
  .incbin ")" PHOTOFINISH_TOKEN_TABLES R"("
  .popsection
)");
