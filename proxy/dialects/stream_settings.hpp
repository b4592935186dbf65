// What the caller of a dialect decides for one stream: what the provider may leave unsaid, and what is lent. [pure]
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
  wire_format format = wire_format::openai_chat;  // of the request's body
  wire_format client = wire_format::none;         // in which the client reads the answer; none: in the same
  std::string id;            // the answer's, without a dialect's prefix; where the provider gives none
  std::int64_t created = 0;  // likewise; Unix time in seconds
  std::string model;         // likewise
  usage_chunk usage = usage_chunk::unwanted;
  bool passes_whole = false;  // an answer in one piece is for a client that wants it so: it need not become a stream
  std::optional<vector_encoding> vectors = {};  // of embeddings, as the client asked for them; none: as they come
  tolerant_parser* parser = nullptr;  // lent, see event_parser; outlives the stream
  std::shared_ptr<chunk_shapes> shapes = nullptr;  // of the target's chunks, shared with its other streams; null: none

  // The client gets the provider's own JSON, and loses nothing of it.
  bool is_passed() const { return client == wire_format::none || client == format; }
  // Messages has no images in answers.
  bool takes_images() const { return client != wire_format::anthropic_messages || is_passed(); }
};

}  // namespace photofinish::proxy
