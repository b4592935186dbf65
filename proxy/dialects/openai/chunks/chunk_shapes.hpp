// The shapes of a target's chunks: a chunk like one of an earlier stream, with another id, time and text, is known
// without parsing it. [pure]
// For chunk_inspector.hpp. Every chunk in doubt is left to its full look, which finds the same facts.
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

// All streams that use it have the same format and the same client's format.
class chunk_shapes {
 public:
  static constexpr std::size_t max_shapes = 4;
  static constexpr std::size_t max_bytes = 1024;  // of a chunk

  explicit chunk_shapes(const chunk_form& form) : form_(&form) {}
  chunk_shapes(const chunk_shapes&) = delete;  // facts refer to the texts of their patterns
  chunk_shapes& operator=(const chunk_shapes&) = delete;

  // A stream begins: if shapes were learnt in vain, it may learn one more.
  void begin_stream();

  // `facts` are what a full look at `chunk`, valid JSON, has just found. They depend on no other chunk of its stream.
  void learn(std::string_view chunk, const chunk_facts& facts);

  // If `chunk` has one of the shapes, it is valid and `facts` become its own. Their strings live as long as `chunk`,
  // and until the next learn(). Returns the values that may change within its stream. 64 bytes behind `chunk` must be
  // readable. `next` is the stream's own, and 0 at its start: the shape to try first.
  std::optional<changing_values> apply(std::string_view chunk, chunk_facts& facts, std::uint8_t& next);

 private:
  enum class role : std::uint8_t { id, created, text, unread };

  struct shape {
    json_pattern same;
    std::array<role, json_pattern::max_values> roles{};  // of its values
    chunk_facts facts;                                   // their strings are in the pattern
  };
  struct places;

  bool find_places(std::string_view chunk, const chunk_facts& facts, places& found) const;
  std::optional<changing_values> apply(const shape& known, std::string_view chunk, chunk_facts& facts) const;

  const chunk_form* form_;
  std::array<shape, max_shapes> shapes_;
  std::uint8_t replaced_ = 0;  // the shape that the next one replaces
  std::uint8_t learnt_in_vain_ = 0;
};

}  // namespace photofinish::proxy
