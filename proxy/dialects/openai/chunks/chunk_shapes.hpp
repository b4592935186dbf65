// Shapes of a target's chunks. If a chunk equals a chunk of an earlier stream except for id, time and text, it is
// read without parsing. [pure] chunk_inspector.hpp uses this class. It inspects doubtful chunks in full, which
// finds the same facts.
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

// The shapes that streams share. All these streams have the same format and the same client format.
class chunk_shapes {
 public:
  static constexpr std::size_t max_shapes = 4;
  static constexpr std::size_t max_bytes = 1024;  // size limit of a learnt chunk

  explicit chunk_shapes(const chunk_form& form) : form_(&form) {}
  chunk_shapes(const chunk_shapes&) = delete;  // not copied, because facts refer to the texts of their patterns
  chunk_shapes& operator=(const chunk_shapes&) = delete;

  // Must be called when a stream begins. If earlier shapes never applied, the stream may learn one more.
  void begin_stream();

  // Learns a chunk. `facts` must come from a full inspection of `chunk`, which must be valid JSON. They must not depend
  // on other chunks of the stream.
  void learn(std::string_view chunk, const chunk_facts& facts);

  // If `chunk` has one of the shapes, it is valid and `facts` become its facts. Their strings live as long as `chunk`,
  // and until the next learn(). Returns the values that may change within the stream. 64 bytes after `chunk` must be
  // readable. `next` is the shape to try first, belongs to the stream and starts at 0.
  std::optional<changing_values> apply(std::string_view chunk, chunk_facts& facts, std::uint8_t& next);

 private:
  enum class role : std::uint8_t { id, created, text, unread };

  struct shape {
    json_pattern same;
    std::array<role, json_pattern::max_values> roles{};  // the role of each value in the pattern
    chunk_facts facts;                                   // facts of the learnt chunk, whose strings are in the pattern
  };
  struct places;

  bool find_places(std::string_view chunk, const chunk_facts& facts, places& found) const;
  std::optional<changing_values> apply(const shape& known, std::string_view chunk, chunk_facts& facts) const;

  const chunk_form* form_;
  std::array<shape, max_shapes> shapes_;
  std::uint8_t replaced_ = 0;  // index of the next shape to replace
  std::uint8_t learnt_in_vain_ = 0;
};

}  // namespace photofinish::proxy
