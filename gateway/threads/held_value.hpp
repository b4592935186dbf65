// A value by which coroutines of one thread inform each other, for example that one runs. It is removed however its
// owner ends. [pure]
#pragma once

namespace photofinish::gateway {

// The value stays in that place for as long as this object lives.
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
