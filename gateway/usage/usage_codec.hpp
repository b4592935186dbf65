// Converts the usage book to the text of its file, with one line for each row, and back. [pure]
#pragma once

#include "gateway/usage/usage_book.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

std::string encode(const usage_book& book);

// Converts one row to two texts for the store: its names and its amounts.
std::string encode_names(const used_by& by);
std::string encode_amounts(const used_amounts& amounts);
std::optional<used_share> decode_share(std::string_view names, std::string_view amounts);

// Reads a file's text into a usage book that is still empty. Returns an error text, or an empty text.
std::string decode_usage(std::string_view text, usage_book& into);

}  // namespace photofinish::gateway
