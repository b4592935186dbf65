// Stores the shapes of each target's chunks (chunk_shapes.hpp) for all streams of one thread. [pure] The shapes of
// targets that were not used recently are forgotten.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_shapes.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace photofinish::proxy {

class chunk_memory {
 public:
  // The maximum number of targets whose chunk shapes are stored. A target counts once for each combination of request
  // format and client format.
  static constexpr std::size_t max_targets = 64;

  // Returns the learnt chunk shapes for a stream of this target. `format` is the format of the request to the target,
  // and `client` is the client's format. Returns null if answers in `format` have no chunks. All streams of the target
  // share the shapes. When the shapes of a target are forgotten, streams that already use them can continue to do so.
  std::shared_ptr<chunk_shapes> shapes_of(std::string_view provider, std::string_view model, wire_format format,
                                          wire_format client);

 private:
  struct entry {
    std::size_t target = 0;  // the hash of the provider, the model and the two formats
    wire_format format = wire_format::none;
    wire_format client = wire_format::none;
    std::shared_ptr<chunk_shapes> shapes;
  };

  static constexpr std::size_t set_size = 4;

  // A target's hash selects the set in which the target's entry is stored. In each set, the most recently used target
  // comes first.
  std::array<std::array<entry, set_size>, max_targets / set_size> sets_;
};

}  // namespace photofinish::proxy
