// Recognizes answers in frames, and errors in a frame, for all of Bedrock's streams. [pure]
#pragma once

#include "proxy/aws/event_frames.hpp"
#include "proxy/dialects/answer_kind.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <optional>

namespace photofinish::proxy {

answer_kind kind_of_frames(const response_head& head);

// Returns the failure that a frame reports as an exception or an error. Returns nullopt if the frame is an event.
std::optional<failure> failure_of(const event_frame& frame);

}  // namespace photofinish::proxy
