// Shared by all of Bedrock's streams: recognizes answers in frames, and errors in a frame. [pure]
#pragma once

#include "proxy/aws/event_frames.hpp"
#include "proxy/dialects/answer_kind.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <optional>

namespace photofinish::proxy {

answer_kind kind_of_frames(const response_head& head);

// Returns the failure of an exception or an error. Returns nothing if the frame is an event.
std::optional<failure> failure_of(const event_frame& frame);

}  // namespace photofinish::proxy
