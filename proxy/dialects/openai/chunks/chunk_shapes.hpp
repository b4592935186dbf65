// The shapes of a target's chunks, learnt from earlier streams. If a chunk equals a learnt chunk except for its id,
// time and text, the chunk is read without parsing. [pure] chunk_inspector.hpp uses this class, and inspects all other
// chunks in full. Both ways give the same results.
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

// The shapes that several streams share. All these streams have the same format and the same client format.
class chunk_shapes {
 public:
  static constexpr std::size_t max_shapes = 4;
  static constexpr std::size_t max_bytes = 1024;  // the limit of a learnt chunk in bytes

  explicit chunk_shapes(const chunk_form& form) : form_(&form) {}
  chunk_shapes(const chunk_shapes&) = delete;  // not copied, because `facts` are views of the patterns' texts
  chunk_shapes& operator=(const chunk_shapes&) = delete;

  // Must be called when a stream begins. If no earlier shape ever matched a chunk, the stream may learn one more shape.
  void begin_stream();

  // Learns a chunk. `facts` is the result of a full inspection of `chunk`, which must be valid JSON. `facts` must not
  // depend on other chunks of the stream.
  void learn(std::string_view chunk, const chunk_facts& facts);

  // If `chunk` has one of the learnt shapes, the chunk is valid JSON, and `facts` is set to its content. The strings in
  // `facts` are valid as long as `chunk`, but only until the next learn(). Returns the values that may change within
  // the stream, or nullopt. 64 bytes after `chunk` must be readable. `next` is the shape that is tried first. Each
  // stream has its own `next`, which starts at 0.
  std::optional<changing_values> apply(std::string_view chunk, chunk_facts& facts, std::uint8_t& next);

 private:
  enum class role : std::uint8_t { id, created, text, unread };

  struct shape {
    json_pattern same;
    std::array<role, json_pattern::max_values> roles{};  // the role of each variable value
    // The content of the learnt chunk; its strings are views of the pattern.
    chunk_facts facts;
  };
  struct places;

  bool find_places(std::string_view chunk, const chunk_facts& facts, places& found) const;
  std::optional<changing_values> apply(const shape& known, std::string_view chunk, chunk_facts& facts) const;

  const chunk_form* form_;
  std::array<shape, max_shapes> shapes_;
  std::uint8_t replaced_ = 0;  // index of the shape that is replaced next
  std::uint8_t learnt_in_vain_ = 0;
};

}  // namespace photofinish::proxy
