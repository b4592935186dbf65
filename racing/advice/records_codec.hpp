// Encodes and decodes advice's records for the disk. [pure]
//   "photofinish advice 2\n"  targets: name, slope, load, minutes, slots  routes: name, minutes, slots  checksum
// Version 1, which has no prompts of conversations, is read as well.
#pragma once

#include "racing/advice/speed_records.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::racing {

std::string encode(const speed_records& records);

// Returns the records, or a message that describes the error in the bytes. Any bytes are safe.
std::variant<speed_records, std::string> decode_advice(std::string_view bytes);

}  // namespace photofinish::racing
