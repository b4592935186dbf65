// Settings for one stream of a dialect: values for missing members, and lent objects. [pure]
#pragma once

#include "proxy/dialects/stream_event.hpp"
#include "proxy/dialects/usage_chunk.hpp"
#include "proxy/dialects/vector_encoding.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace photofinish::proxy {

class chunk_shapes;
class tolerant_parser;

struct stream_settings {
  wire_format format = wire_format::openai_chat;  // format of the request's body
  wire_format client = wire_format::none;         // format of the client's answer; `none` if it is the same format
  std::string id;            // the answer's id without a dialect's prefix, used if the provider gives no id
  std::int64_t created = 0;  // Unix time in seconds, used if the provider gives no time
  std::string model;         // name of the model, used if the provider gives no name
  usage_chunk usage = usage_chunk::unwanted;
  bool passes_whole = false;  // true if the client wants a whole answer, so that it need not become a stream
  std::optional<vector_encoding> vectors = {};  // encoding of embeddings for the client; nullopt if they stay unchanged
  tolerant_parser* parser = nullptr;  // a lent parser (see event_parser), which outlives the stream
  // Shapes of the target's chunks, shared with its other streams; null if none are used.
  std::shared_ptr<chunk_shapes> shapes = nullptr;

  // True if the client gets the provider's own JSON and loses no part of it.
  bool is_passed() const { return client == wire_format::none || client == format; }
  // Returns false for clients of Messages, which cannot hold images in answers.
  bool takes_images() const { return client != wire_format::anthropic_messages || is_passed(); }
};

}  // namespace photofinish::proxy
