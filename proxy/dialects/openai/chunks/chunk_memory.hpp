// Stores the recently seen shapes of targets' chunks (chunk_shapes.hpp) for all streams of one thread. [pure]
#pragma once

#include "proxy/dialects/openai/chunks/chunk_shapes.hpp"

#include <array>
#include <cstddef>
#include <memory>
#include <string_view>

namespace photofinish::proxy {

class chunk_memory {
 public:
  static constexpr std::size_t max_targets = 64;  // a target counts separately for each pair of formats

  // Returns the shapes for a stream of this target. `format` is the format of its request, and `client` is the format
  // of the client. Returns null if the format has no chunks. All streams of the target share the shapes. Shapes that
  // are forgotten stay valid for the streams that use them.
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

  // Each target can be stored in only one set, at any position in it. The most recently used
  // target of a set comes first.
  std::array<std::array<entry, set_size>, max_targets / set_size> sets_;
};

}  // namespace photofinish::proxy
