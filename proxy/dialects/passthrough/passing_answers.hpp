// Reads answers that are sent to the client unchanged: audio, texts that are not JSON, and
// streams of JSON events. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <memory>

namespace photofinish::proxy {

// Opens an answer with audio. Its first bytes count as the first token.
std::unique_ptr<dialect_stream> open_sound(wire_format format);

// Opens an answer that is a whole text: a transcript as text, SRT or VTT.
std::unique_ptr<dialect_stream> open_text(wire_format format);

// Opens a stream of JSON events: a transcript, or speech as events. The first event counts as the first token.
std::unique_ptr<dialect_stream> open_events(wire_format format);

}  // namespace photofinish::proxy
