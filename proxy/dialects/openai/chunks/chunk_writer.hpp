// Writes the chunks that a provider did not send: an end that it left out, and those of a whole answer. [pure]
// All begin with the same members, their stream's identity.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_form.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace photofinish::proxy {

class chunk_writer {
 public:
  // `identity`: members of an object, without its braces.
  chunk_writer(const chunk_form& form, std::string identity) : form_(&form), identity_(std::move(identity)) {}

  // Adds a choice to the next chunk. Its `index`, `said` and `finish` are JSON; each of `others`, more members of the
  // choice, stands behind a comma.
  void add_choice(std::string_view index, std::string_view said, std::string_view finish,
                  std::string_view others = {});

  // The chunk of the choices added since the last one; `others` are more members of it, likewise. It lives until the
  // next is begun, and 64 bytes behind it may be read.
  std::string_view chunk(std::string_view others = {});
  // One without choices, at a stream's end.
  std::string_view usage_chunk(std::string_view usage);

  std::size_t held_bytes() const { return identity_.size() + text_.size(); }

 private:
  void begin();

  const chunk_form* form_;
  std::string identity_;
  std::string text_;  // of the chunk
  bool is_begun_ = false;
};

}  // namespace photofinish::proxy
