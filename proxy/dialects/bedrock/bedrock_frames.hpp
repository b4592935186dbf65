// What all of Bedrock's streams share: which answers are frames, and what a frame says of trouble. [pure]
#pragma once

#include "proxy/aws/event_frames.hpp"
#include "proxy/dialects/answer_kind.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <optional>

namespace photofinish::proxy {

answer_kind kind_of_frames(const response_head& head);

// The failure that an exception or an error is; none: the frame is an event.
std::optional<failure> failure_of(const event_frame& frame);

}  // namespace photofinish::proxy
