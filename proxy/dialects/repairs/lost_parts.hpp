// The lost parts of one answer: parts that the client's API cannot express, such as images, sound, and steps of a
// provider's tools. [pure]
#pragma once

#include "proxy/failures/failure.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class lost_parts {
 public:
  // Records a lost part. Returns true if no part with this name was recorded before. Only the first names are stored,
  // each up to a limited length.
  bool note(std::string_view name);

  // Must be called if the answer has other visible content, or if a content filter ended the answer.
  void note_visible() { has_visible_ = true; }

  // Returns a failure if the answer consists only of lost parts, because another target may give a better answer.
  std::optional<failure> failure_if_alone() const;

  void clear();

 private:
  std::string names_;  // names of lost parts, separated by commas
  std::size_t count_ = 0;
  bool has_visible_ = false;
};

}  // namespace photofinish::proxy
