// The book of what was used as the text of its file, a line for each row. [pure]
#pragma once

#include "gateway/usage/usage_book.hpp"

#include <string>
#include <string_view>

namespace photofinish::gateway {

std::string encode(const usage_book& book);

// Into an empty book. What is wrong with the text; empty: nothing.
std::string decode_usage(std::string_view text, usage_book& into);

}  // namespace photofinish::gateway
