// A whole completion where a stream was asked for -> the stream that would have said the same. [pure]
// Some servers ignore `stream: true`, or an adapter before them does. What they answer is worth as much.
#pragma once

#include <optional>
#include <string>

namespace photofinish::proxy {

// `body` is all of a 200 answer of type application/json. None: it is not a completion (an error, or something else).
// The stream's chunks are, for each choice, all it says and then its finish_reason, and at the end the usage. Members
// that we do not know are kept; a choice's own beside its delta, the others in the first chunk. 64 bytes behind the
// stream may be read.
std::optional<std::string> stream_of_whole_answer(std::string body);

}  // namespace photofinish::proxy
