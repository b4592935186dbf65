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
  // The pages that the gateway answers itself. The worker sets this member, because this header does not include the
  // table of pages.
  std::span<const view> views = {};
};

// Returns the API whose error format the client expects. This is the API to which the request's path belongs. If the
// path belongs to no API, clients of Anthropic's API get its format. All other clients get OpenAI's format, for which
// the function returns null.
const api* worded_by(const client_request& request, std::span<const api* const> apis);

}  // namespace photofinish::gateway
