// The shapes of a target's chunks, learnt from earlier streams. [pure] A shape is a chunk without its id, time and
// text. A chunk with a known shape is read without being parsed. chunk_inspector.hpp uses this class, and inspects all
// other chunks completely. Both methods give the same results.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_facts.hpp"
#include "proxy/dialects/openai/chunks/chunk_form.hpp"
#include "proxy/dialects/openai/chunks/chunk_pattern.hpp"
#include "proxy/json/json_pattern.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace photofinish::proxy {

// The shapes that several streams share. All of these streams have the same provider format and the same client format.
class chunk_shapes {
 public:
  static constexpr std::size_t max_shapes = 4;
  static constexpr std::size_t max_bytes = 1024;  // the maximum size of a learnt chunk, in bytes

  explicit chunk_shapes(const chunk_form& form) : form_(&form) {}
  chunk_shapes(const chunk_shapes&) = delete;  // copying is forbidden, because `facts` refers to texts in the patterns
  chunk_shapes& operator=(const chunk_shapes&) = delete;

  // Must be called at the beginning of each stream. If no learnt shape has matched any chunk so far, the stream may
  // learn another shape.
  void begin_stream();

  // Learns a chunk. `facts` is the result of a full inspection of `chunk`, which must be valid JSON. The result must
  // not depend on other chunks of the stream.
  void learn(std::string_view chunk, const chunk_facts& facts);

  // Checks whether `chunk` has one of the learnt shapes. If it does, the chunk is valid JSON, and its content is stored
  // in `facts`. Returns the values that may change within the stream, or nullopt if no shape matches. The strings in
  // `facts` are valid until `chunk` is freed or learn() is called. The buffer must have 64 readable bytes after
  // `chunk`. `next` is the index of the shape to try first. Each stream has its own `next`, which starts at 0.
  std::optional<changing_values> apply(std::string_view chunk, chunk_facts& facts, std::uint8_t& next);

 private:
  enum class role : std::uint8_t { id, created, text, unread };

  struct shape {
    json_pattern same;
    // the role of each variable value: the id, the time, the text, or a value that the inspector does not read
    std::array<role, json_pattern::max_values> roles{};
    // The content of the learnt chunk. Its strings are views of the pattern's text.
    chunk_facts facts;
  };
  struct places;

  bool find_places(std::string_view chunk, const chunk_facts& facts, places& found) const;
  std::optional<changing_values> apply(const shape& known, std::string_view chunk, chunk_facts& facts) const;

  const chunk_form* form_;
  std::array<shape, max_shapes> shapes_;
  std::uint8_t replaced_ = 0;  // the index of the learnt chunk shape that is replaced next
  std::uint8_t learnt_in_vain_ = 0;
};

}  // namespace photofinish::proxy
