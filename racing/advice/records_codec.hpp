// Encodes and decodes the records for advice that are stored on disk. [pure] A file contains the line "photofinish
// advice 2", the targets (name, slope, load, minutes, slots), the routes (name, minutes, slots), and a checksum. The
// decoder also reads version 1, in which routes have no figures about the prompts of conversations.
#pragma once

#include "racing/advice/speed_records.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::racing {

std::string encode(const speed_records& records);

// Returns the records, or a message that describes the error in the bytes. Any input is safe.
std::variant<speed_records, std::string> decode_advice(std::string_view bytes);

}  // namespace photofinish::racing
