// Shapes of a target's chunks. A chunk that equals one of an earlier stream except for id, time and text is read
// without parsing. [pure]
// Used by chunk_inspector.hpp. Doubtful chunks are left to its full inspection, which finds the same facts.
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

// All streams that share this object have the same format and the same client format.
class chunk_shapes {
 public:
  static constexpr std::size_t max_shapes = 4;
  static constexpr std::size_t max_bytes = 1024;  // size limit of a chunk

  explicit chunk_shapes(const chunk_form& form) : form_(&form) {}
  chunk_shapes(const chunk_shapes&) = delete;  // facts refer to the texts of their patterns
  chunk_shapes& operator=(const chunk_shapes&) = delete;

  // Call this when a stream begins. If earlier shapes never applied, the stream may learn one more.
  void begin_stream();

  // `facts` come from a full inspection of `chunk`, which is valid JSON. They must not depend on other chunks of its
  // stream.
  void learn(std::string_view chunk, const chunk_facts& facts);

  // If `chunk` has one of the shapes, it is valid and `facts` become its own. Their strings live as long as `chunk`,
  // and until the next learn(). Returns the values that may change within its stream. 64 bytes after `chunk` must be
  // readable. `next` belongs to the stream and starts at 0: it is the shape to try first.
  std::optional<changing_values> apply(std::string_view chunk, chunk_facts& facts, std::uint8_t& next);

 private:
  enum class role : std::uint8_t { id, created, text, unread };

  struct shape {
    json_pattern same;
    std::array<role, json_pattern::max_values> roles{};  // roles of its values
    chunk_facts facts;                                   // their strings are in the pattern
  };
  struct places;

  bool find_places(std::string_view chunk, const chunk_facts& facts, places& found) const;
  std::optional<changing_values> apply(const shape& known, std::string_view chunk, chunk_facts& facts) const;

  const chunk_form* form_;
  std::array<shape, max_shapes> shapes_;
  std::uint8_t replaced_ = 0;  // the next shape to replace
  std::uint8_t learnt_in_vain_ = 0;
};

}  // namespace photofinish::proxy
