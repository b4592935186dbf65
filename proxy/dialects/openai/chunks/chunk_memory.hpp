// Stores recently seen shapes of chunks, for the targets of one thread's streams. [pure]
#pragma once

#include "proxy/dialects/openai/chunks/chunk_shapes.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace photofinish::proxy {

class chunk_memory {
 public:
  static constexpr std::size_t max_targets = 64;  // a target counts once for each pair of formats

  // Returns the shapes for a stream of this target, given the format of its request and the format of the client.
  // Null if the format has no chunks. All streams of the target share the shapes. The memory may drop the target
  // while its streams still run.
  std::shared_ptr<chunk_shapes> shapes_of(std::string_view provider, std::string_view model, wire_format format,
                                          wire_format client);

 private:
  struct entry {
    std::size_t target = 0;  // hash of the provider, the model and the two formats
    wire_format format = wire_format::none;
    wire_format client = wire_format::none;
    std::shared_ptr<chunk_shapes> shapes;
  };

  static constexpr std::size_t set_size = 4;

  // Sets of targets. A target may use any place in its set. In each set the most recently used target comes first.
  std::array<std::array<entry, set_size>, max_targets / set_size> sets_;
};

}  // namespace photofinish::proxy
