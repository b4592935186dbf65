#include "proxy/tokens/embedded_tables.hpp"

// Lets the assembler include the file, because the compiler would take minutes for an array of six million numbers.
asm(R"(
  .pushsection .rodata
  .balign 64
  .global photofinish_token_tables
photofinish_token_tables:
  .incbin ")" PHOTOFINISH_TOKEN_TABLES R"("
  .popsection
)");
