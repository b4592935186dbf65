// Advice's records as bytes, and back: what is kept on disk. [pure]
//   "photofinish advice 1\n"  targets: name, slope, load, minutes, slots  routes: name, minutes, slots  checksum
#pragma once

#include "racing/advice/speed_records.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::racing {

std::string encode(const speed_records& records);

// The records, or for a person what is wrong with the bytes; whatever they hold, nothing else happens.
std::variant<speed_records, std::string> decode_advice(std::string_view bytes);

}  // namespace photofinish::racing
