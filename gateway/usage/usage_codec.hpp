// The book of what was used as the text of its file, a line for each row. [pure]
#pragma once

#include "gateway/usage/usage_book.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

std::string encode(const usage_book& book);

// One row as two texts, for a store: its names and its amounts.
std::string encode_names(const used_by& by);
std::string encode_amounts(const used_amounts& amounts);
std::optional<used_share> decode_share(std::string_view names, std::string_view amounts);

// Into an empty book. What is wrong with the text; empty: nothing.
std::string decode_usage(std::string_view text, usage_book& into);

}  // namespace photofinish::gateway
