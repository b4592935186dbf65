// Reads answers that the client gets unchanged: audio, texts that are not JSON, and streams of JSON events. [pure]
#pragma once

#include "proxy/dialects/dialect.hpp"

#include <memory>

namespace photofinish::proxy {

// Creates the reader of an answer with audio. The first bytes count as the first token.
std::unique_ptr<dialect_stream> open_sound(wire_format format);

// Creates the reader of an answer that is a complete text: a transcript as plain text, SRT or VTT.
std::unique_ptr<dialect_stream> open_text(wire_format format);

// Creates the reader of a stream of JSON events that contain a transcript or speech. The first event counts as the
// first token.
std::unique_ptr<dialect_stream> open_events(wire_format format);

}  // namespace photofinish::proxy
