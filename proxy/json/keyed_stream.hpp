// Hashes several prefixes of one text in a single pass (SipHash-1-3 with 128 bits). [pure] The caller divides the text
// into parts. Each hash covers all parts added so far. Without the key, the hashes cannot be computed.
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
  // Ends the current part of the text, and returns the hash of all parts added so far. This hash and all later hashes
  // depend on how the text was divided into parts.
  wide_hash end_part();

 private:
  static constexpr std::size_t word_bytes = 8;

  sip_state<1, 3> state_;
  std::uint64_t rest_ = 0;  // the last bytes of the text, which do not yet fill an eight-byte word
  std::uint64_t size_ = 0;
  std::size_t held_ = 0;    // the number of stored bytes that do not yet fill a word
};

}  // namespace photofinish::proxy
