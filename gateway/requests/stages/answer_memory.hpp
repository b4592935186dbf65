// Remembers parts of an answer for later requests: its id, its items, and its reasoning.
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "gateway/attempts/request_plan.hpp"
#include "gateway/requests/stages/request_context.hpp"

#include <cstddef>
#include <memory>

namespace photofinish::gateway {

// Replaces the ids in the answer by ids that its client may use in later requests. `context` must outlive the answer.
void make_known(request_context& context, const request_plan& plan, answer_identity& answer,
                const target_name& winner);

// Wraps the writer of the answer, so that the gateway remembers the answer's reasoning and the target that made it. If
// the winner's API differs from the client's API, the reasoning is stored under the ids of the answer's tool calls.
// `winner` is the index of the winning attempt, and `spoken` is the format of its answer.
std::unique_ptr<answer_writer> remember_reasoning(request_context& context, const request_plan& plan,
                                                  std::unique_ptr<answer_writer> writer, std::size_t winner,
                                                  proxy::wire_format spoken);

}  // namespace photofinish::gateway
