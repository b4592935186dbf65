// How many tokens a conversation would be to a model that has read none of it yet: an estimate. [pure]
// Text is counted in o200k_base, whatever the model's own tokenizer is. Takes long for a long one: see long_work.hpp.
#pragma once

#include "proxy/conversation/conversation.hpp"

#include <cstdint>
#include <string_view>

namespace photofinish::gateway {

// `tools`: as the client wrote them, a JSON list or nothing.
std::uint64_t estimate_input(const proxy::conversation& said, std::string_view tools);

}  // namespace photofinish::gateway
