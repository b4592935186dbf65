// The APIs of clients and providers that this gateway speaks, and the pages that it shows.
#pragma once

#include "gateway/api/api.hpp"
#include "gateway/http/client_request.hpp"
#include "proxy/find_dialect.hpp"

#include <span>

namespace photofinish::gateway {

struct view;

// The APIs that clients may call, as a table. It lives as long as the program.
std::span<const api* const> all_apis();

// This object lives as long as the gateway.
struct protocols {
  std::span<const api* const> apis = all_apis();
  std::span<const proxy::named_dialect> dialects = proxy::all_dialects();
  std::span<const view> views = {};  // set by the worker, because the room of views is above this one
};

// The API whose error format is used: the API of the path, or Anthropic's if its clients request another path. Null:
// OpenAI's.
const api* worded_by(const client_request& request, std::span<const api* const> apis);

}  // namespace photofinish::gateway
