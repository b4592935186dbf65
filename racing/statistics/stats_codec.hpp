// The window as bytes, and back: what is kept on disk. [pure]
//   "photofinish stats 1\n"  slot lengths  keys: target, classes, slots: number, three sketches  checksum
// Numbers are LEB128; a sketch is its bins, each as the distance from the one before and its count. The checksum is
// FNV-1a over all before it, 8 bytes, little-endian: against torn and flipped bits, not against forgery.
#pragma once

#include "racing/statistics/stats_window.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::racing {

std::string encode(const stats_window& window);

// The window, or for a person what is wrong with the bytes; whatever they hold, nothing else happens.
std::variant<stats_window, std::string> decode_stats(std::string_view bytes, const window_shape& shape = {},
                                                     const window_bounds& bounds = {});

}  // namespace photofinish::racing
