// Removes elements from a JSON list, each with an adjacent comma, in one pass over the list. [pure]
#pragma once

#include "proxy/json/json_edits.hpp"

#include <cstddef>
#include <string_view>

namespace photofinish::proxy {

// The caller passes each element once, in order, to keep() or remove(), and then calls finish().
class element_removal {
 public:
  explicit element_removal(json_edits& edits) : edits_(edits) {}

  void keep(std::string_view element) {
    if (!run_.empty()) edits_.remove(kept_to_ == nullptr ? between(run_.data(), element.data()) : behind_kept());
    run_ = {};
    kept_to_ = end_of(element);
  }
  void remove(std::string_view element) {
    run_ = run_.empty() ? element : between(run_.data(), end_of(element));
    ++removed_;
  }
  // Must be called after the last element. If all elements were removed, writes `stand_in` into the list. If `stand_in`
  // is empty, the list becomes empty.
  void finish(std::string_view stand_in = {}) {
    if (run_.empty()) return;
    if (kept_to_ != nullptr) edits_.remove(behind_kept());
    else if (stand_in.empty()) edits_.remove(run_);
    else edits_.replace(run_, stand_in);
  }

  std::size_t removed() const { return removed_; }

 private:
  static const char* end_of(std::string_view part) { return part.data() + part.size(); }
  static std::string_view between(const char* from, const char* to) {
    return {from, static_cast<std::size_t>(to - from)};
  }
  std::string_view behind_kept() const { return between(kept_to_, end_of(run_)); }

  json_edits& edits_;
  const char* kept_to_ = nullptr;  // the end of the last kept element
  std::string_view run_;           // the removed elements after the last kept element, as one span of the text
  std::size_t removed_ = 0;
};

}  // namespace photofinish::proxy
