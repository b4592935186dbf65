// Settings for one answer that a dialect reads: values for members that the provider omits, and objects that streams
// share. [pure]
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
  wire_format format = wire_format::openai_chat;  // the format of the request's body
  // The format of the client's answer. `none` means the same format as that of the request's body.
  wire_format client = wire_format::none;
  std::string id;            // the answer's id without a prefix, used if the provider does not send an id
  std::int64_t created = 0;  // Unix time in seconds, used if the provider does not send a time
  std::string model;         // the model's name, used if the provider does not send a name
  usage_chunk usage = usage_chunk::unwanted;
  // True if the client did not request a stream. In that case, a non-streamed answer is not converted to a stream.
  bool passes_whole = false;
  // The encoding of embeddings that the client gets; nullopt if they stay unchanged.
  std::optional<vector_encoding> vectors = {};
  tolerant_parser* parser = nullptr;  // the parser that all streams of the thread share; must outlive the stream
  // The learnt shapes of the target's chunks. All streams of the target share the shapes. Null if this stream does not
  // use shapes.
  std::shared_ptr<chunk_shapes> shapes = nullptr;

  // True if the client gets the provider's own JSON. In that case, no part of the answer is lost.
  bool is_passed() const { return client == wire_format::none || client == format; }
  // True if an answer to this client can contain images. All answers can contain images, except translated answers to
  // clients of the Messages API.
  bool takes_images() const { return client != wire_format::anthropic_messages || is_passed(); }
};

}  // namespace photofinish::proxy
