// Events of any dialect -> OpenAI's chat.completion.chunk, where the provider's own JSON is none. [pure]
#pragma once

#include "gateway/api/answer_writer.hpp"
#include "proxy/dialects/stream_event.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace photofinish::gateway {

class chat_chunks {
 public:
  explicit chat_chunks(answer_identity identity) : identity_(std::move(identity)) {}

  // A chunk for each delta that has a place in OpenAI's chat. Signatures and opaque reasoning have none: only the
  // provider that made them can read them, and no client of this API sends them back.
  std::vector<std::string> of(const proxy::stream_event& event);

  // The last usage that events reported, as a chunk of its own; none where none did.
  std::optional<std::string> usage() const;

 private:
  std::string chunk(std::string_view choices_and_more) const;
  std::string choice(const proxy::delta& each);
  bool is_first_of(std::int64_t choice);

  answer_identity identity_;
  std::vector<std::int64_t> begun_;  // choices that have their role
  std::optional<proxy::token_usage> usage_;
};

}  // namespace photofinish::gateway
