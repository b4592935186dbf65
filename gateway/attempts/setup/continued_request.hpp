// A request for the rest of an answer whose target broke off: whether there is one, what it says, and who is asked.
// [pure]
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

// Whether the answer that is asked for is plain text, of an API whose request can be written: chat or Messages, without
// tools, a form to keep to, several choices, probabilities, thinking, or words of the assistant to begin with.
bool may_be_continued(const parsed_request& asked);

// Whether another target may do better behind that: not where the answer or its time was too long for us, or the
// provider took the request or its answer for wrong.
bool may_go_on_behind(const proxy::failure& why);

// The request's body with the answer so far as its last message, and what it still may say: `tokens` less than before.
struct continued_request {
  std::string body;
  continued_text before;
};
continued_request continue_request(const parsed_request& asked, std::string_view answer, std::uint64_t tokens);

// Makes a plan that starts one target after another has failed, of those that take a prefill, each once, without those
// that have spoken: at most so many, within that time. Leaves none where there is none.
void plan_continuation(race_setup& setup, std::span<const target_name> spoken, std::size_t most,
                       std::chrono::milliseconds time_left);

}  // namespace photofinish::gateway
