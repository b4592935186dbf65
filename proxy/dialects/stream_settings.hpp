// Settings for one stream of a dialect: values for members that the provider omits, and objects
// that streams share. [pure]
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
  wire_format client = wire_format::none;         // format of the client's answer; `none` if it is equal to `format`
  std::string id;            // the answer's id without a prefix; used if the provider sends no id
  std::int64_t created = 0;  // Unix time in seconds; used if the provider sends no time
  std::string model;         // the model's name; used if the provider sends no name
  usage_chunk usage = usage_chunk::unwanted;
  // True if the client wants a whole answer, so that whole answers are not converted to streams.
  bool passes_whole = false;
  // The encoding of embeddings for the client; nullopt if they stay unchanged.
  std::optional<vector_encoding> vectors = {};
  tolerant_parser* parser = nullptr;  // the parser that the thread's streams share; must outlive the stream
  // The shapes of the target's chunks, which all its streams share. Null if this stream uses none.
  std::shared_ptr<chunk_shapes> shapes = nullptr;

  // True if the client gets the provider's own JSON, so that no part of the answer is lost.
  bool is_passed() const { return client == wire_format::none || client == format; }
  // Returns false for clients of Messages whose answer is translated. The Messages API has no images in answers.
  bool takes_images() const { return client != wire_format::anthropic_messages || is_passed(); }
};

}  // namespace photofinish::proxy
