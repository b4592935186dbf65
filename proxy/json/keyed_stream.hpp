// Hashes of a growing text at chosen places (SipHash-1-3 with 128 bits): each place's hash covers all before it. [pure]
// One pass gives the hashes of all beginnings of a text. They take the key to compute.
#pragma once

#include "proxy/json/sip_state.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace photofinish::proxy {

struct wide_hash {
  std::uint64_t low = 0, high = 0;

  bool operator==(const wide_hash&) const = default;
};

class keyed_stream {
 public:
  explicit keyed_stream(const hash_key& key) : state_(key) { state_.begin_wide(); }

  void add(std::string_view bytes);
  // The hash of all parts up to here. Where a part ends counts, also for later hashes.
  wide_hash end_part();

 private:
  static constexpr std::size_t word_bytes = 8;

  sip_state<1, 3> state_;
  std::uint64_t rest_ = 0;  // bytes that do not fill a word yet
  std::uint64_t size_ = 0;
  std::size_t held_ = 0;    // bytes in rest_
};

}  // namespace photofinish::proxy
