// What coroutines of one thread tell each other, that one runs or what it asks: it ends however that ends. [pure]
#pragma once

namespace photofinish::gateway {

// The value stands in that place for as long as this lives.
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
