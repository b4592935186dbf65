// The tables that make_tables wrote, as part of this program's read-only data. Pages come in when first read. [pure]
#pragma once

namespace photofinish::proxy {

// table_layout.hpp says what lies where.
extern "C" const char photofinish_token_tables[];

}  // namespace photofinish::proxy
