// How a stage ends that stands before the answer.
#pragma once

#include "gateway/api/api_error.hpp"

#include <variant>

namespace photofinish::gateway {

struct next_stage {};
struct departed {};  // the client has left, or the gateway has cut the request to stop
using stage_result = std::variant<next_stage, departed, api_error>;  // the error refuses the request

inline bool is_next(const stage_result& result) { return std::holds_alternative<next_stage>(result); }

}  // namespace photofinish::gateway
