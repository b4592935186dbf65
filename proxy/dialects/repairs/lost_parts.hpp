// The parts of one answer that its client's API has no place for: images, sound, steps of a provider's tools. [pure]
#pragma once

#include "proxy/failures/failure.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class lost_parts {
 public:
  // True if a part of that name is new. Only the first names are kept, each up to a length.
  bool note(std::string_view name);

  // Something else came that a person can see, or a filter cut the answer.
  void note_visible() { has_visible_ = true; }

  // The failure of an answer that has no other parts: another target may do better.
  std::optional<failure> failure_if_alone() const;

  void clear();

 private:
  std::string names_;  // with commas between them
  std::size_t count_ = 0;
  bool has_visible_ = false;
};

}  // namespace photofinish::proxy
