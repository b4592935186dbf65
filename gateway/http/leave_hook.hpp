// Sets a hook: a function that is called when the client of a request leaves. The hook is removed when the request's
// data is freed. Otherwise the client's connection, which outlives the request, would call a hook that uses freed
// memory.
#pragma once

#include "gateway/http/client_connection.hpp"

#include <functional>
#include <utility>

namespace photofinish::gateway {

// The destructor removes all hooks from the client's connection. Until then, other code may set and replace hooks.
class hook_removal {
 public:
  explicit hook_removal(client_connection& client) : client_(client) {}
  ~hook_removal() {
    client_.on_leave({});
    client_.on_bytes({});
  }
  hook_removal(const hook_removal&) = delete;
  hook_removal& operator=(const hook_removal&) = delete;

 private:
  client_connection& client_;
};

// Installs a hook in its constructor and removes it in its destructor.
class leave_hook {
 public:
  leave_hook(client_connection& client, std::function<void()> hook) : removal_(client) {
    client.on_leave(std::move(hook));
  }

 private:
  hook_removal removal_;
};

}  // namespace photofinish::gateway
