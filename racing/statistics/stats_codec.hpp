// Encodes and decodes the window of figures for the disk. [pure] A file contains the line "photofinish stats 1", the
// slot lengths, the keys, and a checksum. A key has its target, its classes, and its slots, each with a number and
// three sketches.
//
// Numbers are LEB128. A sketch is stored as its bins, each with the distance from the previous bin and its count. The
// checksum is FNV-1a over all bytes before it, 8 bytes, little-endian. The checksum detects incomplete files and
// flipped bits, not forgery.
#pragma once

#include "racing/statistics/stats_window.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::racing {

std::string encode(const stats_window& window);

// Returns the window, or a message that describes the error in the bytes. Any input is safe.
std::variant<stats_window, std::string> decode_stats(std::string_view bytes, const window_shape& shape = {},
                                                     const window_bounds& bounds = {});

}  // namespace photofinish::racing
