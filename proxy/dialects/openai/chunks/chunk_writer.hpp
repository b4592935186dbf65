// Writes chunks that a provider did not send: the missing end of a stream, or the chunks for a non-streamed answer.
// [pure] All chunks begin with the same members, which identify the stream.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_form.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

class chunk_writer {
 public:
  // `identity` is the JSON of the members at the beginning of each chunk, without braces.
  chunk_writer(const chunk_form& form, std::string identity) : form_(&form), identity_(std::move(identity)) {}

  // Adds a choice to the next chunk. `index`, `said` and `finish` are the JSON values of its index, content and
  // finish_reason. `others` contains additional members of the choice, each preceded by a comma.
  void add_choice(std::string_view index, std::string_view said, std::string_view finish,
                  std::string_view others = {});

  // Returns a chunk with the choices that were added after the previous chunk. `others` contains additional members of
  // the chunk, each preceded by a comma. The result is valid until the next chunk is begun. The buffer has 64 readable
  // bytes after the chunk.
  std::string_view chunk(std::string_view others = {});
  // Returns a chunk without choices, for the end of a stream.
  std::string_view usage_chunk(std::string_view usage);

  std::size_t held_bytes() const { return identity_.size() + text_.size(); }

 private:
  void begin();

  const chunk_form* form_;
  std::string identity_;
  std::string text_;  // the current chunk
  bool is_begun_ = false;
};

}  // namespace photofinish::proxy
