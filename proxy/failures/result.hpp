// A value, or the failure that prevented it. [pure]
// It has the interface of std::expected<T, failure>, which this compiler does not have yet.
#pragma once

#include "proxy/failures/failure.hpp"

#include <cassert>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace photofinish::proxy {

// The same as std::optional<failure>, but as small as a pointer. A failure takes 160 bytes. The objects and coroutine
// frames of an open stream have about twenty places that may store a failure.
class maybe_failure {
 public:
  maybe_failure() = default;
  maybe_failure(std::nullopt_t) {}
  maybe_failure(const failure& why) : held_(std::make_unique<failure>(why)) {}
  maybe_failure(failure&& why) : held_(std::make_unique<failure>(std::move(why))) {}
  maybe_failure(const maybe_failure& other) : held_(other ? std::make_unique<failure>(*other) : nullptr) {}
  maybe_failure(maybe_failure&& other) noexcept = default;
  maybe_failure& operator=(maybe_failure other) noexcept { return held_.swap(other.held_), *this; }
  ~maybe_failure() = default;

  bool has_value() const { return held_ != nullptr; }
  explicit operator bool() const { return has_value(); }

  failure& operator*() & { return assert(held_), *held_; }
  const failure& operator*() const& { return assert(held_), *held_; }
  failure&& operator*() && { return assert(held_), std::move(*held_); }
  failure* operator->() { return assert(held_), held_.get(); }
  const failure* operator->() const { return assert(held_), held_.get(); }

 private:
  std::unique_ptr<failure> held_;
};

template <class T>
class [[nodiscard]] result {
 public:
  result(T value) : held_(std::in_place_index<0>, std::move(value)) {}
  result(const failure& why) : held_(std::in_place_index<1>, why) {}
  result(failure&& why) : held_(std::in_place_index<1>, std::move(why)) {}

  bool has_value() const { return held_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  T& operator*() & { return assert(has_value()), *std::get_if<0>(&held_); }
  const T& operator*() const& { return assert(has_value()), *std::get_if<0>(&held_); }
  T&& operator*() && { return assert(has_value()), std::move(*std::get_if<0>(&held_)); }
  T* operator->() { return &**this; }
  const T* operator->() const { return &**this; }

  failure& error() & { return assert(!has_value()), **std::get_if<1>(&held_); }
  const failure& error() const& { return assert(!has_value()), **std::get_if<1>(&held_); }
  failure&& error() && { return assert(!has_value()), *std::move(*std::get_if<1>(&held_)); }

 private:
  std::variant<T, maybe_failure> held_;
};

// A result without a value: success, or the failure that prevented it.
template <>
class [[nodiscard]] result<void> {
 public:
  result() = default;
  result(const failure& why) : why_(why) {}
  result(failure&& why) : why_(std::move(why)) {}

  bool has_value() const { return !why_; }
  explicit operator bool() const { return has_value(); }

  failure& error() & { return *why_; }
  const failure& error() const& { return *why_; }
  failure&& error() && { return *std::move(why_); }

 private:
  maybe_failure why_;
};

}  // namespace photofinish::proxy
