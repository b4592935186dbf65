// Reads answers that pass unchanged: sound, texts that are not JSON, and streams of JSON events. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <memory>

namespace photofinish::proxy {

// Opens an answer of sound, whose first bytes are the first token.
std::unique_ptr<dialect_stream> open_sound(wire_format format);

// Opens an answer that is a whole text: a transcript as text, SRT or VTT.
std::unique_ptr<dialect_stream> open_text(wire_format format);

// Opens a stream of JSON events: a transcript, or speech as events. The first event is the first token.
std::unique_ptr<dialect_stream> open_events(wire_format format);

}  // namespace photofinish::proxy
