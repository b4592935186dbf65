// Settings of a dialect's caller for one stream: values for missing members, and lent objects. [pure]
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
  wire_format client = wire_format::none;         // format of the client's answer; none: the same format
  std::string id;            // the answer's id without a dialect's prefix, used if the provider gives none
  std::int64_t created = 0;  // used if the provider gives none; Unix time in seconds
  std::string model;         // used if the provider gives none
  usage_chunk usage = usage_chunk::unwanted;
  bool passes_whole = false;  // the client wants a whole answer: it need not become a stream
  std::optional<vector_encoding> vectors = {};  // the embeddings' encoding for the client; none: unchanged
  tolerant_parser* parser = nullptr;  // lent, see event_parser; outlives the stream
  // Shapes of the target's chunks, shared with its other streams; null: none.
  std::shared_ptr<chunk_shapes> shapes = nullptr;

  // True if the client gets the provider's own JSON and loses no part of it.
  bool is_passed() const { return client == wire_format::none || client == format; }
  // Messages cannot hold images in answers.
  bool takes_images() const { return client != wire_format::anthropic_messages || is_passed(); }
};

}  // namespace photofinish::proxy
