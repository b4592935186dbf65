// Collects the lost parts of one answer. [pure] A part is lost if the client's API cannot express it. Examples are
// images, sound, and steps of a provider's tools.
#pragma once

#include "proxy/failures/failure.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace photofinish::proxy {

class lost_parts {
 public:
  // Records a lost part. Returns true if no part with this name was recorded before. Only the first few names are
  // stored, each up to a maximum length.
  bool note(std::string_view name);

  // Must be called if the client can see some content of the answer, or if a content filter ended the answer.
  void note_visible() { has_visible_ = true; }

  // Returns a failure if the answer consists only of lost parts, so that another target can give a better answer.
  std::optional<failure> failure_if_alone() const;

  void clear();

 private:
  std::string names_;  // the names of lost parts, separated by commas
  std::size_t count_ = 0;
  bool has_visible_ = false;
};

}  // namespace photofinish::proxy
