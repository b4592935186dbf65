// Makes a request that continues an answer that its target broke off. Decides whether such a request is possible, and
// returns the request's body and its targets. [pure]
#pragma once

#include "gateway/api/parsed_request.hpp"
#include "gateway/attempts/setup/race_setup.hpp"
#include "gateway/relay/answer_prefix.hpp"
#include "proxy/failures/failure.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// Returns true if the expected answer is plain text, and if the gateway can rewrite the request. Only requests in the
// chat API and the Messages API can be rewritten. Returns false if the request has tools, a required format, several
// choices, probabilities, thinking, or a prefix of the assistant's answer.
bool may_be_continued(const parsed_request& asked);

// Returns true if another target may succeed after this failure. Returns false if the answer exceeded the gateway's
// limits of size or time, or if the provider blamed the request or the answer.
bool may_go_on_behind(const proxy::failure& why);

// A request to continue a broken answer. Its last message is the text that has already arrived. Its token limit is
// reduced by the tokens of this text.
struct continued_request {
  std::string body;
  continued_text before;
};
continued_request continue_request(const parsed_request& asked, std::string_view answer, std::uint64_t tokens);

// Makes a plan that tries the targets one after another. It uses each target that accepts a prefill at most once, and
// leaves out targets that have already sent text. It uses at most `most` targets within the given time. The plan is
// empty if there is no suitable target.
void plan_continuation(race_setup& setup, std::span<const target_name> spoken, std::size_t most,
                       std::chrono::milliseconds time_left);

}  // namespace photofinish::gateway
