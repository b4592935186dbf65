// Encodes and decodes the stored records from which route advice is computed. A file contains the line "photofinish
// advice 2", the targets (name, slope, load, minutes, slots), the routes (name, minutes, slots), and a checksum. The
// decoder also reads version 1, whose routes have no counts about conversations. [pure]
#pragma once

#include "racing/advice/speed_records.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace photofinish::racing {

std::string encode(const speed_records& records);

// Returns the records, or a message that describes the error in the bytes. Any bytes are safe to decode.
std::variant<speed_records, std::string> decode_advice(std::string_view bytes);

}  // namespace photofinish::racing
