// The tables that make_tables wrote, as part of this program's read-only data. Each page is loaded when it is first
// read. [pure]
#pragma once

namespace photofinish::proxy {

// table_layout.hpp describes the layout.
extern "C" const char photofinish_token_tables[];

}  // namespace photofinish::proxy
