// What responses that go on behind their requests were charged, by their provider's ids: what one really used is known
// once its client asks for it. Any thread; a lock for each such response, and for each that is asked for. [pure]
#pragma once

#include "gateway/limits/bounds/usage_bounds.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::gateway {

// An estimate, and what it was taken for.
struct background_use {
  std::string route;    // metrics' label
  std::string project;  // that its request named; empty: none
  std::uint64_t input_tokens = 0, output_tokens = 0;
  double usd = 0;
  request_extent extent;  // bounds what its provider may tell later
};

class background_uses {
 public:
  explicit background_uses(std::size_t most = 20'000) : most_(most) {}

  // The oldest makes room: it stays charged as it was estimated.
  void put(const std::string& target, std::string_view id, background_use charged);
  // Once.
  std::optional<background_use> take(const std::string& target, std::string_view id);

 private:
  struct entry {
    std::string key;
    background_use charged;
  };

  const std::size_t most_;
  std::mutex guard_;
  std::list<entry> oldest_first_;
  std::map<std::string_view, std::list<entry>::iterator> by_key_;
};

}  // namespace photofinish::gateway
