// Writes the usage book as the text of its file, with a line for each row, and reads this text. [pure]
#pragma once

#include "gateway/usage/usage_book.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

std::string encode(const usage_book& book);

// Encodes one row as two texts for a store: its names and its amounts.
std::string encode_names(const used_by& by);
std::string encode_amounts(const used_amounts& amounts);
std::optional<used_share> decode_share(std::string_view names, std::string_view amounts);

// Reads a file's text into an empty book. Returns an error text, or an empty string.
std::string decode_usage(std::string_view text, usage_book& into);

}  // namespace photofinish::gateway
