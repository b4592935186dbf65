// Lists the APIs of clients and providers that this gateway supports, and the pages that it shows.
#pragma once

#include "gateway/api/api.hpp"
#include "gateway/http/client_request.hpp"
#include "proxy/find_dialect.hpp"

#include <span>

namespace photofinish::gateway {

struct view;

// Returns the table of APIs that clients may call. The table lives as long as the program.
std::span<const api* const> all_apis();

// The APIs of clients and providers that the gateway supports. The object lives as long as the gateway.
struct protocols {
  std::span<const api* const> apis = all_apis();
  std::span<const proxy::named_dialect> dialects = proxy::all_dialects();
  // The pages. The worker sets them, because this header does not include the table of pages.
  std::span<const view> views = {};
};

// Returns the API whose error format the client expects. This is the API to which the request's path belongs. For any
// other path, Anthropic's client gets the format of Anthropic's API. All other clients get OpenAI's format, which is
// represented by null.
const api* worded_by(const client_request& request, std::span<const api* const> apis);

}  // namespace photofinish::gateway
