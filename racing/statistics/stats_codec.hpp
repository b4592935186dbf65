// Encodes and decodes the window for the disk. [pure]
//   "photofinish stats 1\n"  slot lengths  keys: target, classes, slots: number, three sketches  checksum
// Numbers are LEB128. A sketch is its bins, each as the distance from the previous bin and its count. The checksum is
// FNV-1a over all bytes before it, 8 bytes, little-endian. It detects torn and flipped bits, not forgery.
#pragma once

#include "racing/statistics/stats_window.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::racing {

std::string encode(const stats_window& window);

// Returns the window, or a message that describes the error in the bytes. Any bytes are safe.
std::variant<stats_window, std::string> decode_stats(std::string_view bytes, const window_shape& shape = {},
                                                     const window_bounds& bounds = {});

}  // namespace photofinish::racing
