// The headers by which traces of several services find each other (W3C Trace Context). [pure]
#pragma once

#include <string_view>

namespace photofinish::proxy {

// version-traceid-parentid-flags, in lower-case hex, none of the ids zero; later versions may say more behind it.
bool is_traceparent(std::string_view value);

// A list of key=value: at most 512 bytes, which every service must let through, and 32 members, of printable letters.
bool is_tracestate(std::string_view value);

}  // namespace photofinish::proxy
