// Sets a value by which coroutines on one thread inform each other, for example that one of them is running. The value
// is reset when this object is destroyed, also after an exception. [pure]
#pragma once

namespace photofinish::gateway {

// Sets a value, and resets it when this object is destroyed.
template <class T>
class held_value {
 public:
  held_value(T& place, T value) : place_(place) { place_ = value; }
  ~held_value() { place_ = T(); }
  held_value(const held_value&) = delete;
  held_value& operator=(const held_value&) = delete;

 private:
  T& place_;
};

}  // namespace photofinish::gateway
