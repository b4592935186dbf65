// Encodes and decodes the measurements of the last 72 hours for a file. A file contains the line "photofinish stats 1",
// the lengths of slots, the keys, and a checksum. A key consists of its target, its classes, and its slots. Each slot
// has a number and three sketches. [pure]
//
// Numbers are LEB128. A sketch is stored as its bins. Each bin consists of its distance from the previous bin, and its
// count. The checksum is FNV-1a over all bytes before it, 8 bytes, little-endian. The checksum detects incomplete files
// and flipped bits, but not forgery.
#pragma once

#include "racing/statistics/stats_window.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::racing {

std::string encode(const stats_window& window);

// Returns the window, or a message that describes the error in the bytes. Any bytes are safe to decode.
std::variant<stats_window, std::string> decode_stats(std::string_view bytes, const window_shape& shape = {},
                                                     const window_bounds& bounds = {});

}  // namespace photofinish::racing
