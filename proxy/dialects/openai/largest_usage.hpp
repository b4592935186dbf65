// The largest usage that a stream has reported so far. [pure] Counts are cumulative, so a later report never lowers the
// stored counts.
#pragma once

#include "proxy/dialects/openai/chunks/chunk_facts.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace photofinish::proxy {

inline bool is_usage_only(const chunk_facts& facts) { return facts.has_usage && facts.choices.empty(); }

class largest_usage {
 public:
  // Reads the usage of a chunk. Returns true if the usage was stored without edits.
  bool keep(const chunk_facts& facts, std::string_view json);

  bool empty() const { return json_.empty(); }
  const std::string& json() const { return json_; }
  // Returns the chunk that contained the stored usage, if the chunk contained nothing else. Otherwise returns an empty
  // string.
  const std::string& chunk() const { return chunk_; }

 private:
  void keep_raised(std::string_view usage);

  std::string json_;
  std::uint64_t input_tokens_ = 0, output_tokens_ = 0;
  std::string chunk_;
};

}  // namespace photofinish::proxy
