#include "proxy/tokens/embedded_tables.hpp"

// The assembler includes the file, because the compiler would need minutes for an array of six million numbers.
asm(R"(
  .pushsection .rodata
  .balign 64
  .global photofinish_token_tables
photofinish_token_tables:
  .incbin ")" PHOTOFINISH_TOKEN_TABLES R"("
  .popsection
)");
