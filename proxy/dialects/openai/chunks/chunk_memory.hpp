// The shapes of chunks that the streams of one thread's targets have had lately. [pure]
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

  // The shapes for a stream of that target, in the format of its request, for a client of that format; null: the format
  // has no chunks. The target's other streams share them, and the memory may forget the target before they end.
  std::shared_ptr<chunk_shapes> shapes_of(std::string_view provider, std::string_view model, wire_format format,
                                          wire_format client);

 private:
  struct entry {
    std::size_t target = 0;  // the hash of all that identifies it
    wire_format format = wire_format::none;
    wire_format client = wire_format::none;
    std::shared_ptr<chunk_shapes> shapes;
  };

  static constexpr std::size_t set_size = 4;

  // A target may have any place of one set. In each set the place that was used last is the first.
  std::array<std::array<entry, set_size>, max_targets / set_size> sets_;
};

}  // namespace photofinish::proxy
