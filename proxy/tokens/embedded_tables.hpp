// The tables that make_tables wrote. They are part of this program's read-only data, and the system loads each memory
// page when the page is first read. [pure]
#pragma once

namespace photofinish::proxy {

// table_layout.hpp describes the layout of these tables.
extern "C" const char photofinish_token_tables[];

}  // namespace photofinish::proxy
