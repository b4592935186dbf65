// Recognizes answers in AWS's binary frames, and reads the errors in such frames. [pure] All streams of Bedrock use
// this code.
#pragma once

#include "proxy/aws/event_frames.hpp"
#include "proxy/dialects/answer_kind.hpp"
#include "proxy/dialects/stream_event.hpp"
#include "proxy/failures/result.hpp"

#include <optional>

namespace photofinish::proxy {

answer_kind kind_of_frames(const response_head& head);

// Returns the failure if a frame reports an exception or an error. Returns nullopt if the frame contains an event.
std::optional<failure> failure_of(const event_frame& frame);

}  // namespace photofinish::proxy
