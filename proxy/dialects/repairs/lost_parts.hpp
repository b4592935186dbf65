// The parts of one answer that its client's API cannot hold: images, sound, steps of a provider's tools. [pure]
#pragma once

#include "proxy/failures/failure.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class lost_parts {
 public:
  // Notes a lost part. Returns true if a part with that name is new. Only the first names are kept, each up
  // to a limited length.
  bool note(std::string_view name);

  // Must be called if the answer has other visible content, or if a filter cut it.
  void note_visible() { has_visible_ = true; }

  // Returns a failure if the answer has only lost parts, because another target may do better.
  std::optional<failure> failure_if_alone() const;

  void clear();

 private:
  std::string names_;  // names of lost parts, separated by commas
  std::size_t count_ = 0;
  bool has_visible_ = false;
};

}  // namespace photofinish::proxy
