// A value, or the failure that stood in its way. [pure]
// The shape of std::expected<T, failure>, which this compiler does not have yet.
#pragma once

#include "proxy/failure.hpp"

#include <cassert>
#include <utility>
#include <variant>

namespace photofinish::proxy {

template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  result(failure why) : held_(std::in_place_index<1>, std::move(why)) {}

  bool has_value() const { return held_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return assert(has_value()), *std::get_if<0>(&held_); }
  const T& operator*() const& { return assert(has_value()), *std::get_if<0>(&held_); }
  T&& operator*() && { return assert(has_value()), std::move(*std::get_if<0>(&held_)); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  failure& error() & { return assert(!has_value()), *std::get_if<1>(&held_); }
  const failure& error() const& { return assert(!has_value()), *std::get_if<1>(&held_); }
  failure&& error() && { return assert(!has_value()), std::move(*std::get_if<1>(&held_)); }

 private:
  std::variant<T, failure> held_;
};

// Done, or the failure that stood in its way.
template <>
class [[nodiscard]] result<void> {
 public:
  result() = default;
  result(failure why) : held_(std::move(why)) {}

  bool has_value() const { return held_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  failure& error() & { return assert(!has_value()), *std::get_if<1>(&held_); }
  const failure& error() const& { return assert(!has_value()), *std::get_if<1>(&held_); }
  failure&& error() && { return assert(!has_value()), std::move(*std::get_if<1>(&held_)); }

 private:
  std::variant<std::monostate, failure> held_;
};

}  // namespace photofinish::proxy
