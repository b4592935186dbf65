// What this gateway speaks, on either side, and the pages that it shows.
#pragma once

#include "gateway/api/api.hpp"
#include "gateway/http/client_request.hpp"
#include "proxy/find_dialect.hpp"

#include <span>

namespace photofinish::gateway {

struct view;

// The APIs that clients may call, as a table. All of it lives as long as the program.
std::span<const api* const> all_apis();

// All of it lives as long as the gateway.
struct protocols {
  std::span<const api* const> apis = all_apis();
  std::span<const proxy::named_dialect> dialects = proxy::all_dialects();
  std::span<const view> views = {};  // the worker sets it, because the room of views is higher than this one
};

// Whose words an error has: the API's whose path it is, Anthropic's where its clients ask for something else. Null:
// OpenAI's.
const api* worded_by(const client_request& request, std::span<const api* const> apis);

}  // namespace photofinish::gateway
